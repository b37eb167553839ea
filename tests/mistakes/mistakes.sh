#!/bin/bash
# Compiles fields.cpp without a mistake, which must succeed, and with each of its mistakes, which
# the compiler must refuse with the text after "// error:": mistakes.sh COMPILER INCLUDE_FOLDER
set -uo pipefail
cd "$(dirname "$0")"

compiler=${1:?which compiler?} include=${2:?which folder has tern/?}
compile() {
    "$compiler" -std=c++20 -fsyntax-only -I"$include" -DMISTAKE="$1" fields.cpp 2>&1
}

failed=0 count=0
if ! said=$(compile 0); then
    echo "refused without a mistake: $said" | head -5
    failed=1
fi
while IFS='|' read -r number expected; do
    count=$((count + 1))
    if said=$(compile "$number"); then
        echo "mistake $number is accepted; expected \"$expected\""
        failed=1
    elif ! grep -qF -- "$expected" <<<"$said"; then
        echo "mistake $number: expected \"$expected\", the compiler says:"
        grep error <<<"$said" | head -3
        failed=1
    fi
done < <(sed -nE 's|^#elif MISTAKE == ([0-9]+) // error: (.*)$|\1\|\2|p' fields.cpp)
# An older C++ is refused with a word about it; C headers are for any.
older() {
    echo "#include <tern/$1>" | "$compiler" -std="$2" -fsyntax-only -I"$include" -x c++ - 2>&1
}
if said=$(older tern.hpp c++17) || ! grep -qF "tern's C++ headers need C++20" <<<"$said"; then
    echo "C++17: expected \"tern's C++ headers need C++20\", the compiler says:"
    grep error <<<"$said" | head -3
    failed=1
fi
if ! said=$(older tern.h c++11); then
    echo "tern.h is refused in C++11: $said" | head -5
    failed=1
fi
if [ "$count" -eq 0 ]; then
    echo "no mistake was found in fields.cpp"
    failed=1
fi
exit $failed
