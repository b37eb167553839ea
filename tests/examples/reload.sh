#!/bin/bash
# Two peers play examples/lua/reload.lua. Its file is edited twice while they run: once well, which
# takes effect, and once with a mistake, which is refused. The light turns on all the time.
# Usage: reload.sh <path of tern-peer>
source "$(dirname "$0")/processes.sh"

peer=$1
game=$(cd "$(dirname "$0")/../../examples/lua" && pwd)/reload.lua
cd "$folder"

# wait_for_turn <name> <expression with the number in brackets> <at least>
wait_for_turn() {
    local turn
    for _ in $(seq 200); do
        turn=$(sed -nE "s/.*$2.*/\\1/p" "$1.txt" | tail -n 1)
        [ "${turn:-0}" -ge "$3" ] && return
        sleep 0.05
    done
    fail "$1 comes to turn ${turn:-0} and not to $3"
}

# edit <from> <to>: in one step, as editors do.
edit() {
    sed "s/$1/$2/" reload.lua >edited.lua
    cmp -s reload.lua edited.lua && fail "there is no $1 to edit"
    mv edited.lua reload.lua
}

cp "$game" reload.lua
start first "$peer" reload.lua
find_invite first
start second "$peer" reload.lua --join "$invite"
wait_for second 'sees turn 1$'
wait_for first 'turned 1 times, by 4 degrees'

edit '^local step = 4' 'local step = 20'
wait_for first 'script_reloaded'
wait_for_turn first 'turned ([0-9]+) times, by 20 degrees' 2 # The count goes on.
edit '^local step = 20' 'local step = = 30'
wait_for first 'script_reload_refused: reload.lua:6'
turns=$(sed -nE 's/.*turned ([0-9]+) times, by 20 degrees.*/\1/p' first.txt | tail -n 1)
wait_for_turn first 'turned ([0-9]+) times, by 20 degrees' $((turns + 3))
wait_for_turn second 'peer 2 sees turn ([0-9]+)$' $((turns + 3))
kill -TERM "${processes[@]}"
for process in "${processes[@]}"; do
    wait "$process" || fail "a peer ended with status $?"
done
