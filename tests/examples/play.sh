#!/bin/bash
# Plays an example: it must end well, and print these texts in this order, each in a line of its
# own.
# Usage: play.sh <command> [<argument> ...] -- <text> ...
set -uo pipefail

command=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    command+=("$1")
    shift
done
shift
[ $# -gt 0 ] || { echo "play: no text is expected"; exit 1; }
output=$("${command[@]}" 2>&1)
status=$?
rest=$output
for text in "$@"; do
    if ! grep -qF -- "$text" <<<"$rest"; then
        echo "play: FAILED: it does not print, at its place: $text"
        printf '%s\n' "$output" | tail -n 40
        exit 1
    fi
    # The lines after the first one with the text.
    rest=$(text=$text awk 'found { print } index($0, ENVIRON["text"]) { found = 1 }' <<<"$rest")
done
if [ $status -ne 0 ]; then
    echo "play: FAILED: it ended with status $status"
    printf '%s\n' "$output" | tail -n 40
    exit 1
fi
