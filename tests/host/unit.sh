#!/bin/sh
# Whether systemd accepts the unit of tern-host, and how much the unit may access.
#     unit.sh <source folder> <tern-host>
set -eu
command -v systemd-analyze >/dev/null || {
    echo "skipped: there is no systemd-analyze"
    exit 77
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unit=$folder/tern-host.service
# The check runs without an installed program.
sed "s|^ExecStart=/usr/bin/tern-host |ExecStart=$2 |" "$1/deploy/systemd/tern-host.service" >"$unit"
grep -q "^ExecStart=$2 " "$unit"
warnings=$(systemd-analyze verify "$unit" 2>&1) || {
    echo "$warnings"
    exit 1
}
# A mere warning about this unit, such as an unknown key, is a failure too. Warnings about other
# units of the machine are ignored.
if echo "$warnings" | grep "tern-host"; then exit 1; fi
# The threshold is in tenths: an exposure of at most 1.5 of 10.
systemd-analyze security --no-pager --offline=true --threshold=15 "$unit" | tail -n 1
systemd-analyze security --no-pager --offline=true --threshold=15 "$unit" >/dev/null
