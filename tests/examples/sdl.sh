#!/bin/bash
# Plays the example with SDL2 without a screen: two peers in one window, whose picture must show
# both of their colours in both panels, and two processes over UDP.
# Usage: sdl.sh <path of example_sdl>
source "$(dirname "$0")/processes.sh"

export SDL_VIDEODRIVER=dummy
example=$1

"$example" --frames 400 --picture "$folder/picture.bmp" >"$folder/both.txt" ||
    fail "two peers in one window end with $?"
[ "$(grep -cE 'crates changed owners [1-9]' "$folder/both.txt")" = 2 ] || fail "no crate is taken"
# Pixels of Ada's and of Ben's colour, as blue, green, red and alpha.
for colour in '\x55\x5e\xeb\xff' '\xe6\x9c\x56\xff'; do
    pixels=$(LC_ALL=C grep -aoP "$colour" "$folder/picture.bmp" | wc -l || true)
    [ "$pixels" -gt 2000 ] || fail "$pixels pixels have the colour $colour"
done

start host "$example" --host --frames 240
find_invite host
"$example" --join "$invite" --frames 70 >"$folder/guest.txt" 2>&1 || fail "the guest ends with $?"
wait "${processes[0]}" || fail "the host ends with $?"
grep -q '^Ben has come' "$folder/host.txt" || fail "the guest did not come"
