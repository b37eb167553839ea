#!/bin/sh
# Whether systemd takes the unit of tern-host, and how much it leaves open to it.
#     unit.sh <source folder> <tern-host>
set -eu
command -v systemd-analyze >/dev/null || {
    echo "skipped: there is no systemd-analyze"
    exit 77
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unit=$folder/tern-host.service
# The program need not be installed for this.
sed "s|^ExecStart=/usr/bin/tern-host |ExecStart=$2 |" "$1/deploy/systemd/tern-host.service" >"$unit"
grep -q "^ExecStart=$2 " "$unit"
warnings=$(systemd-analyze verify "$unit" 2>&1) || {
    echo "$warnings"
    exit 1
}
# What it only warns of, such as an unknown key, is wrong, too; other units of the machine are not
# ours.
if echo "$warnings" | grep "tern-host"; then exit 1; fi
# In tenths: 1.5 of 10 at most.
systemd-analyze security --no-pager --offline=true --threshold=15 "$unit" | tail -n 1
systemd-analyze security --no-pager --offline=true --threshold=15 "$unit" >/dev/null
