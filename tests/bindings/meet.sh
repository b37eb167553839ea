#!/bin/bash
# Plays examples/meet.cpp, or another host that prints an invite and in the end "well played", with
# a guest: meet.sh PATH_OF_HOST GUEST [ARGUMENT ...]; the invite is the guest's last argument. Both
# must end well.
set -u
host=${1:?which program is the host?}
shift
lines=$(mktemp)
trap 'kill $(jobs -p) 2>/dev/null; rm -f "$lines"' EXIT
"$host" >"$lines" &
for _ in $(seq 100); do
    invite=$(sed -n 's/^invite: //p' "$lines" | tr -d '\r')
    [ -n "$invite" ] && break
    sleep 0.1
done
[ -n "$invite" ] || { echo "meet: the host prints no invite"; exit 1; }
timeout 50 "$@" "$invite" || { echo "meet: the guest ended with status $?"; exit 1; }
wait %1 || { echo "meet: the host is not content:"; cat "$lines"; exit 1; }
grep -q '^well played' "$lines"
