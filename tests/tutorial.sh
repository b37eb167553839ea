#!/bin/bash
# Plays the game of docs/use/tutorial.md as its last step does: three players meet, the ball changes
# its owner, the host is killed, the others go on, and the next host leaves.
# Usage: tutorial.sh <path of example_tutorial>
source "$(dirname "$0")/examples/processes.sh"

game=$1
start one "$game"
find_invite one
start two "$game" "$invite"
wait_for one "player 2 has joined"
wait_for one "player 1 at .* player 2 at "
wait_for two "player 1 at .* player 2 at "
wait_for one "player 2 has the ball"
wait_for two "player 2 has the ball"
wait_for one "player 2 shouts: over here!"
wait_for two "player 1 shouts: over here!"
start three "$game" "$invite"
wait_for one "player 3 has joined"
wait_for three "player 2 at "
sleep 1 # The third player gets its vote.
kill -9 "${processes[0]}"
wait_for two "player 1 has left"
wait_for three "player 2 is the host now"
wait_for two "player 2 is the host now"
kill -INT "${processes[1]}"
wait "${processes[1]}" || fail "the second player ended with $?"
grep -q "Left the session" "$folder/two.txt" || fail "the second player did not leave"
