#!/bin/bash
# Runs a dedicated host with the files of examples/dedicated/, lets two players join by its invite,
# looks at it with tern-ctl, and drains it.
# Usage: dedicated.sh <path of tern-host> <path of tern-ctl> <path of example_dedicated>
source "$(dirname "$0")/processes.sh"

host=$1 ctl=$2 client=$3
cd "$(dirname "$0")/../.."

# The configuration of the example, but with ports and a socket that are free.
"$host" --config examples/dedicated/host.toml --check-config >"$folder/check.txt" 2>&1 ||
    fail "the configuration is wrong"
start host "$host" --config examples/dedicated/host.toml --port 0 --http-listen '' \
    --control-socket "$folder/control"
find_invite host
start one "$client" "$invite"
"$client" "$invite" >"$folder/two.txt" 2>&1 || fail "the second player ended with $?"
wait "${processes[1]}" || fail "the first player ended with $?"
grep -q '^3 treasures after ' "$folder/one.txt" || fail "the first player lacks treasures"
grep -q '^Left the session' "$folder/two.txt" || fail "the second player did not leave"
grep -q 'script_output .* has found treasure 6' "$folder/host.txt" || fail "the room is silent"
board='for _, board in session:objects("board") do print(session:get(board, "found")) end'
found=$("$ctl" --socket "$folder/control" lua "$board")
[ "$found" = 6 ] || fail "the board has $found treasures in place of 6"
kill -TERM "${processes[0]}"
wait "${processes[0]}" || fail "the host ended with $?"
