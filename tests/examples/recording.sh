#!/bin/bash
# Records with examples/recording.cpp, and replays both files. A recording in which a byte is
# changed must be refused.
# Usage: recording.sh <path of example_recording> <path of tern-sim>
set -euo pipefail

example=$1 sim=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$example" "$folder" | grep 'Both recordings are complete.'
for name in ada ben; do
    "$sim" replay "$folder/$name.rec" | grep '^{"ok":true,"cut_short":false,"ticks":720,'
    [ "$(stat -c %a "$folder/$name.rec")" = 600 ] || { echo "others may read the keys"; exit 1; }
done
# The byte's complement is another one, whatever it is.
byte=$(od -An -tu1 -j20000 -N1 "$folder/ada.rec")
printf %b "\\x$(printf %02x $((byte ^ 255)))" |
    dd of="$folder/ada.rec" bs=1 seek=20000 conv=notrunc status=none
if "$sim" replay "$folder/ada.rec" >"$folder/output" 2>&1; then
    echo "a damaged recording is replayed:"
    cut -c 1-200 "$folder/output"
    exit 1
fi
