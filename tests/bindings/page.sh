#!/bin/bash
# Plays demo.html of the JavaScript binding in chromium: page.sh FOLDER, which is javascript/ of a
# build. Both peers of the page must end with the same world. Skipped (77) without chromium.
set -u
folder=${1:?which folder has demo.html?}
[ -f "$folder/demo.html" ] || { echo "page: $folder has no demo.html"; exit 2; }
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    { echo "page: skipped: there is no chromium"; exit 77; }
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT

# A page loads modules from a server only. Port 0: any free one.
python3 -u - "$folder" >"$work/port" 2>/dev/null <<'PYTHON' &
import functools, http.server, sys
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
handler.func.extensions_map |= {".mjs": "text/javascript", ".wasm": "application/wasm"}
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
print(server.server_port)
server.serve_forever()
PYTHON
for _ in $(seq 100); do
    [ -s "$work/port" ] && break
    sleep 0.1
done
[ -s "$work/port" ] || { echo "page: the server does not start"; exit 1; }
timeout 120 "$chromium" --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" \
    --virtual-time-budget=60000 --dump-dom "http://127.0.0.1:$(cat "$work/port")/demo.html" \
    >"$work/dom" 2>"$work/log"
title=$(sed -n 's/.*<title>\(.*\)<\/title>.*/\1/p' "$work/dom")
echo "page: $title: $(sed -n 's/.*<p id="text">\(.*\)<\/p>.*/\1/p' "$work/dom")"
[ "$title" = "tern: both have the same world" ] || { tail -5 "$work/log"; exit 1; }
