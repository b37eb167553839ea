#!/bin/bash
# Compares the functions that tern.h declares with those that the libraries define with a C name:
# symbols.sh HEADER LIBRARY...
set -uo pipefail

header=${1:?which header?}
shift
declared=$(grep -oE '\btern_[a-z_0-9]+\(' <(grep -A1 -E '^TERN_API' "$header" |
    sed -E 's,//.*,,') | tr -d '(' | sort -u)
defined=$(nm --defined-only --extern-only "$@" | grep -oE ' [TW] tern_[a-z_0-9]+$' |
    sed 's/.* //' | sort -u)
if [ "$declared" != "$defined" ]; then
    echo "declared in $header (<) and defined in $* (>) differ:"
    diff <(echo "$declared") <(echo "$defined")
    exit 1
fi
count=$(wc -l <<<"$declared")
if [ "$count" -gt 80 ]; then
    echo "$header declares $count functions, of at most 80"
    exit 1
fi
