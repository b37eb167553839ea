#!/bin/bash
# Compares the names that the shared libtern exports with the kept list of them:
# exports.sh LIBRARY [--renew]
set -uo pipefail

library=${1:?which shared library?}
list=$(dirname "$0")/exports.txt
exported=$(nm -D --defined-only "$library" | sed 's/.* //' | LC_ALL=C sort)
if [ "${2:-}" = --renew ]; then
    echo "$exported" >"$list"
elif [ "$exported" != "$(cat "$list")" ]; then
    echo "The kept names (<) and those that $library exports (>) differ:"
    diff "$list" <(echo "$exported")
    echo "If that is meant to be so: tests/c_interface/exports.sh $library --renew"
    exit 1
fi
