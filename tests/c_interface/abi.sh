#!/bin/bash
# Compares the ABI of a shared libtern, which must have debug information, with the kept one: sizes
# and members of public structs, enumerators, functions and what they take. abi.sh LIBRARY [--renew]
set -uo pipefail
library=$(realpath "${1:?which shared library?}")
cd "$(dirname "$0")/../.." || exit 1

if ! command -v abidiff >/dev/null; then
    echo "skipped: there is no abidiff (Debian: abigail-tools)"
    exit 77
elif [ "$(uname -m)" != x86_64 ]; then
    echo "skipped: the kept ABI is that of x86-64"
    exit 77
fi
kept=tests/c_interface/tern.abi
public=(--suppressions tests/c_interface/abi_private.ini --exported-interfaces-only --no-show-locs)
if [ "${2:-}" = --renew ]; then
    # Without all that differs between machines.
    abidw --headers-dir include/tern --drop-private-types "${public[@]}" --no-corpus-path \
        --no-comp-dir-path --no-elf-needed --no-parameter-names --no-write-default-sizes \
        --type-id-style hash "$library" | sed "s/ path='[^']*'/ path='core_in_one.cpp'/" >"$kept"
    exit
fi
report=$(abidiff "${public[@]}" --no-added-syms "$kept" "$library" 2>&1)
status=$?
[ "$status" -eq 0 ] && exit
if [ $((status & 3)) -ne 0 ]; then
    printf '%s\n' "$report" "abidiff FAILED ($status)"
    exit 1
fi
cat <<TEXT
$report

The ABI has changed (abidiff gave $status): programs of older headers may break.
Undo that, unless members were added at the end of a struct with struct_size, or enumerators were,
or the SOVERSION is another one. To keep this ABI: ./dev abi --renew
TEXT
exit 1
