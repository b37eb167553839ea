#!/bin/bash
# Plays the game of docs/use/tutorial.md as its last step does: two players meet, the ball changes
# its owner, the host is killed, the other goes on as the host and leaves.
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
kill -9 "${players[0]}"
wait_for two "player 1 has left"
wait_for two "player 2 is the host now"
kill -INT "${players[1]}"
wait "${players[1]}" || fail "the second player ended with $?"
grep -q "Left the session" "$folder/two" || fail "the second player did not leave"
