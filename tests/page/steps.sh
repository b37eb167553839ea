#!/bin/bash
# A history that tern-sim writes as a page can be opened in chromium: steps.sh TERN_SIM. Skipped
# (77) without chromium.
set -u
sim=${1:?which program is tern-sim?}
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    { echo "steps: skipped: there is no chromium"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$sim" scenario S8 --page "$work/page.html" >"$work/log" || { cat "$work/log"; exit 1; }
timeout 100 "$chromium" --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" \
    --virtual-time-budget=5000 --dump-dom "file://$work/page.html" >"$work/dom" 2>"$work/log"
for text in "S8: MIGRATE comes before CREATE" "step 0 of 6" "has never heard of 2.1"; do
    grep -q "$text" "$work/dom" && continue
    echo "steps: FAILED: no '$text'"
    tail -3 "$work/log"
    exit 1
done
echo "steps: passed"
