#!/bin/bash
# Runs luacheck over the project's Lua. Usage: luacheck.sh <source folder>
set -euo pipefail

command -v luacheck >/dev/null || { echo "luacheck: skipped, it is not installed"; exit 77; }
cd "$1"
luacheck --no-color --ignore 631 --std max+love lua_bindings tests/lua examples/lua
