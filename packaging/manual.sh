#!/bin/bash
# Prints the manual page of a program, made of its --help: manual.sh PROGRAM VERSION
set -euo pipefail
program=${1:?which program?} version=${2:?which version?}
case $(basename "$program") in
tern-bot) name="bots that join a session of tern and make load" ;;
tern-ctl) name="controls a running tern-host" ;;
tern-demo) name="processes that share a world over a bad network" ;;
tern-find) name="lists the sessions of tern on the local network" ;;
tern-host) name="a dedicated host of sessions of tern" ;;
tern-map) name="asks the router for a UDP port" ;;
tern-peer) name="plays games for tern that are written in Lua" ;;
*) echo "manual: there is no sentence about $program" >&2 && exit 1 ;;
esac
exec help2man --no-info --no-discard-stderr --section 1 --source "tern $version" --name "$name" \
    --version-string "$version" "$program"
