#!/bin/bash
# Scripts that play examples in several processes source this file. What the processes print lies in
# $folder, in files that end in .txt; at the end of the script they are killed.
set -euo pipefail

folder=$(mktemp -d)
processes=()
trap 'kill -9 "${processes[@]}" 2>/dev/null || true; rm -rf "$folder"' EXIT

fail() {
    echo "$(basename "$0" .sh): FAILED: $*"
    tail -n 20 "$folder"/*.txt
    exit 1
}

# start <name> <command ...>: in the background; it prints into $folder/<name>.txt.
start() {
    : >"$folder/$1.txt" # It is there even before the process runs.
    "${@:2}" >"$folder/$1.txt" 2>&1 &
    processes+=($!)
}

# wait_for <name> <expression>
wait_for() {
    for _ in $(seq 600); do
        if grep -qE "$2" "$folder/$1.txt"; then return; fi
        sleep 0.05
    done
    fail "$1 never prints: $2"
}

# find_invite <name>: sets $invite to the invite at the end of a line that the process prints.
# shellcheck disable=SC2034 # The scripts use it.
find_invite() {
    wait_for "$1" 'invite:? tern1-'
    invite=$(sed -nE 's/.*invite:? (tern1-.*)/\1/p' "$folder/$1.txt" | head -n 1)
}
