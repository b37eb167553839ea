#!/bin/bash
# Plays the page that shows tern in chromium: page.sh PAGE [FOLDER]. Its worlds must end equal after
# losses, a dead host and cuts; the page must be a file of at most 600 KB, compressed. FOLDER gets
# pictures. Skipped (77) without chromium.
set -u
page=${1:?which file is the page?}
pictures=${2:-}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bytes_max=600000
[ -f "$page" ] || { echo "page: there is no $page"; exit 2; }
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    { echo "page: skipped: there is no chromium"; exit 77; }
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; wait; rm -rf "$work"' EXIT

bytes=$(gzip -9 -c "$page" | wc -c)
echo "page: $bytes bytes, compressed by gzip"
[ "$bytes" -le "$bytes_max" ] || { echo "page: FAILED: at most $bytes_max are allowed"; exit 1; }

# The scenario stands in a script of its own before the page's.
{
    sed '/^<script>$/,$d' "$page"
    echo "<script>"
    cat "$here/scenario.js"
    echo "</script>"
    sed -n '/^<script>$/,$p' "$page"
} >"$work/page.html"

browse=("$chromium" --headless --no-sandbox --disable-gpu --hide-scrollbars
    "--window-size=1280,800" --user-data-dir="$work/profile")
: >"$work/log"
# It runs in real time, because it measures; it says when it is done.
"${browse[@]}" --enable-logging=stderr "file://$work/page.html" >>"$work/log" 2>&1 &
for ((wait = 0; wait < 1200; wait++)); do
    grep -q '"page: \(passed\|FAILED\)\|Uncaught' "$work/log" && break
    sleep 0.1
done
kill %1 2>/dev/null
wait %1 2>/dev/null
sed -n 's/.*CONSOLE[^"]*"\(page: .*\)", source.*/\1/p' "$work/log"
grep -q '"page: passed"' "$work/log" || { tail -5 "$work/log"; exit 1; }

[ -n "$pictures" ] || exit 0
mkdir -p "$pictures"
for name in world dead halves steps steps-end; do
    timeout 100 "${browse[@]}" --virtual-time-budget=10000 --screenshot="$pictures/$name.png" \
        "file://$work/page.html?$name" >"$work/log" 2>&1
    [ -s "$pictures/$name.png" ] || { echo "page: FAILED: no picture $name"; exit 1; }
done
echo "page: pictures are in $pictures"
