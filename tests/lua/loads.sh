#!/bin/bash
# Loads the loadable module into interpreters that were built without tern: `require "tern"`, then
# two peers over the simulated network. Usage: loads.sh luajit|lua54 <tern.so>
set -euo pipefail

here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
TERN_LUA_FOLDER=$(dirname "$(realpath "$2")")
export TERN_LUA_FOLDER LUA_CPATH="$TERN_LUA_FOLDER/?.so" LUA_PATH="$here/?.lua"
tried=0

# try <interpreter> <arguments>: runs it and expects "ok" as its last line.
try() {
    command -v "$1" >/dev/null || return 0
    local said
    said=$("$@" 2>&1) || { echo "$said"; echo "loads: FAILED: $*"; exit 1; }
    if [ "${said##*$'\n'}" != ok ]; then
        echo "$said"
        echo "loads: FAILED: $* does not say ok"
        exit 1
    fi
    echo "loads: $1 ok"
    tried=1
}

if [ "$1" = luajit ]; then
    try luajit "$here/two_peers.lua"
    try lua5.1 "$here/two_peers.lua"
    SDL_VIDEODRIVER=dummy SDL_AUDIODRIVER=dummy try love "$here/love"
else
    try lua5.4 "$here/two_peers.lua"
fi
[ "$tried" = 1 ] || { echo "loads: skipped, there is no interpreter"; exit 77; }
