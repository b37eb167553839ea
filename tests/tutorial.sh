#!/bin/bash
# Plays the game of docs/use/tutorial.md as its last step does: three players meet, the ball changes
# its owner, the host is killed, the others go on, and the next host leaves.
# Usage: tutorial.sh <path of example_tutorial>
set -euo pipefail

game=$1
folder=$(mktemp -d)
players=()
trap 'kill -9 "${players[@]}" 2>/dev/null || true; rm -rf "$folder"' EXIT

fail() {
    echo "tutorial: FAILED: $*"
    tail -n 20 "$folder"/*
    exit 1
}

# wait_for <file> <text>
wait_for() {
    for _ in $(seq 300); do
        if grep -q "$2" "$folder/$1"; then return; fi
        sleep 0.1
    done
    fail "$1 never prints: $2"
}

"$game" >"$folder/one" 2>&1 &
players+=($!)
wait_for one "^invite: "
"$game" "$(sed -n 's/^invite: //p' "$folder/one")" >"$folder/two" 2>&1 &
players+=($!)
wait_for one "player 2 has joined"
wait_for one "player 1 at .* player 2 at "
wait_for two "player 1 at .* player 2 at "
wait_for one "player 2 has the ball"
wait_for two "player 2 has the ball"
wait_for one "player 2 shouts: over here!"
wait_for two "player 1 shouts: over here!"
"$game" "$(sed -n 's/^invite: //p' "$folder/one")" >"$folder/three" 2>&1 &
players+=($!)
wait_for one "player 3 has joined"
wait_for three "player 2 at "
sleep 1 # The third player gets its vote.
kill -9 "${players[0]}"
wait_for two "player 1 has left"
wait_for three "player 2 is the host now"
wait_for two "player 2 is the host now"
kill -INT "${players[1]}"
wait "${players[1]}" || fail "the second player ended with $?"
grep -q "Left the session" "$folder/two" || fail "the second player did not leave"
