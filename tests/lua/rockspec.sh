#!/bin/bash
# Runs `luarocks make` for Lua 5.4 and 5.1, each into a tree of its own, and loads the module from
# there. The work folder is emptied first. Usage: rockspec.sh <source folder> <work folder>
set -euo pipefail

source_dir=$(realpath "$1")
work_dir=$2
command -v luarocks >/dev/null || { echo "rockspec: skipped, luarocks is not installed"; exit 77; }
if command -v ccache >/dev/null; then
    export CMAKE_CXX_COMPILER_LAUNCHER=ccache
fi
export CMAKE_BUILD_PARALLEL_LEVEL=2
rm -rf "$work_dir"
mkdir -p "$work_dir/source"
work_dir=$(realpath "$work_dir")
# luarocks builds in the current folder and leaves its files there, so it gets a copy.
tar -C "$source_dir" --exclude './build*' --exclude ./.git -cf - . | tar -C "$work_dir/source" -xf -
cd "$work_dir/source"
tried=0

# try <version> <interpreter>...
try() {
    local version=$1 said
    shift
    command -v "$1" >/dev/null && [ -e "/usr/include/lua$version/lua.h" ] || return 0
    rm -rf build.luarocks
    if ! luarocks --lua-version "$version" make --tree "$work_dir/$version" \
        tern-scm-1.rockspec >"$work_dir/log" 2>&1; then
        cat "$work_dir/log"
        echo "rockspec: FAILED for Lua $version"
        exit 1
    fi
    for interpreter in "$@"; do
        command -v "$interpreter" >/dev/null || continue
        said=$(LUA_CPATH="$work_dir/$version/lib/lua/$version/?.so" \
            "$interpreter" "$source_dir/tests/lua/two_peers.lua" 2>&1) || true
        if [ "$said" != ok ]; then
            echo "$said"
            echo "rockspec: FAILED: $interpreter does not load it"
            exit 1
        fi
        echo "rockspec: $version in $interpreter ok"
    done
    tried=1
}

try 5.4 lua5.4
try 5.1 lua5.1 luajit
[ "$tried" = 1 ] || { echo "rockspec: skipped, there is no lua.h"; exit 77; }
rm -rf "$work_dir"
