#!/bin/bash
# Compares the functions that the C headers of a folder declare with those that the libraries define
# with a C name: symbols.sh FOLDER LIBRARY...
set -uo pipefail

folder=${1:?which folder has the headers?}
shift
declared_in() { # declared_in HEADER...
    grep -hA1 -E '^TERN_API' "$@" | sed -E 's,//.*,,' | grep -oE '\btern_[a-z_0-9]+\(' |
        tr -d '(' | sort -u
}
declared=$(declared_in "$folder"/*.h)
defined=$(nm --defined-only --extern-only "$@" | grep -oE ' [TW] tern_[a-z_0-9]+$' |
    sed 's/.* //' | sort -u)
if [ "$declared" != "$defined" ]; then
    echo "declared in $folder (<) and defined in $* (>) differ:"
    diff <(echo "$declared") <(echo "$defined")
    exit 1
fi
count=$(declared_in "$folder/tern.h" | wc -l)
if [ "$count" -gt 80 ]; then
    echo "tern.h declares $count functions, of at most 80"
    exit 1
fi
