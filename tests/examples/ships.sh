#!/bin/bash
# Two processes play examples/ships.cpp over UDP: the second one joins by the invite of the first
# one, each sees the ship of the other, and both leave.
# Usage: ships.sh <path of example_ships>
source "$(dirname "$0")/processes.sh"

game=$1
start first "$game" --seconds 5
find_invite first
start second "$game" --seconds 2 "$invite"
wait "${processes[1]}" || fail "the second process ended with $?"
wait "${processes[0]}" || fail "the first process ended with $?"
grep -q '^peer 2 has come$' "$folder/first.txt" || fail "nobody came"
grep -q '^peer 2 has gone$' "$folder/first.txt" || fail "nobody went"
grep -q '^peer 1 says: welcome aboard$' "$folder/second.txt" || fail "there is no welcome"
two='^\(-?[0-9.]+ -?[0-9.]+\) \(-?[0-9.]+ -?[0-9.]+\) $'
grep -qE "$two" "$folder/first.txt" || fail "the first one does not see two ships"
grep -qE "$two" "$folder/second.txt" || fail "the second one does not see two ships"
grep -q '^Left the session' "$folder/second.txt" || fail "the second one did not leave"
