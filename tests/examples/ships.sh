#!/bin/bash
# Two processes play examples/ships.cpp over UDP: the second one joins by the invite of the first
# one, each sees the ship of the other, and both leave.
# Usage: ships.sh <path of example_ships>
set -euo pipefail

game=$1
folder=$(mktemp -d)
processes=()
trap 'kill -9 "${processes[@]}" 2>/dev/null || true; rm -rf "$folder"' EXIT

fail() {
    echo "ships: FAILED: $*"
    tail -n 20 "$folder"/*
    exit 1
}

touch "$folder/first" # The loop reads it perhaps before the process writes it.
"$game" --seconds 5 >"$folder/first" 2>&1 &
processes+=($!)
for _ in $(seq 100); do
    invite=$(sed -n 's/^invite: //p' "$folder/first")
    [ -n "$invite" ] && break
    sleep 0.05
done
[ -n "$invite" ] || fail "no invite"
"$game" --seconds 2 "$invite" >"$folder/second" 2>&1 &
processes+=($!)
wait "${processes[1]}" || fail "the second process ended with $?"
wait "${processes[0]}" || fail "the first process ended with $?"
grep -q '^peer 2 has come$' "$folder/first" || fail "nobody came"
grep -q '^peer 2 has gone$' "$folder/first" || fail "nobody went"
grep -q '^peer 1 says: welcome aboard$' "$folder/second" || fail "there is no welcome"
two='^\(-?[0-9.]+ -?[0-9.]+\) \(-?[0-9.]+ -?[0-9.]+\) $'
grep -qE "$two" "$folder/first" || fail "the first one does not see two ships"
grep -qE "$two" "$folder/second" || fail "the second one does not see two ships"
grep -q '^Left the session' "$folder/second" || fail "the second one did not leave"
