#!/bin/bash
# peers.sh <tern-peer> <command of another tern-peer ...>: the second joins the first, answers a
# question on its console, and leaves.
set -euo pipefail
cd "$(dirname "$0")/../.."
host=$1
shift
folder=$(mktemp -d)
"$host" examples/lua/ships.lua --seconds 120 </dev/null >"$folder/host" 2>&1 &
pid=$!
trap 'kill "$pid" 2>/dev/null || true; rm -rf "$folder"' EXIT
invite=""
for ((i = 0; i < 100 && ${#invite} == 0; i++)); do
    sleep 0.1
    invite=$(sed -n 's/^tern-peer ready: .* invite //p' "$folder/host")
done
question="'self ' .. session:self() .. ' of host ' .. session:host()"
(sleep 10 && echo "$question" && sleep 10) |
    timeout 100 "$@" examples/lua/ships.lua --join "$invite" --seconds 15 \
        >"$folder/guest" 2>&1 || { tail -n 20 "$folder/guest" && exit 1; }
for wanted in "tern-peer ready: udp [0-9]* peer 2" "self 2 of host 1" \
    "there are the ships of 1, 2"; do
    grep -q "$wanted" "$folder/guest" || { echo "no '$wanted'" && exit 1; }
done
