#!/bin/bash
# Makes tern.h, tern.hpp and tern.cpp, and builds games with them as README says:
# amalgamation.sh [C++ COMPILER [C COMPILER]]
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD cxx=${1:-c++} cc=${2:-cc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
packaging/amalgamate.sh "$work"
cd "$work"

# example <name> <c or cpp> <header>: an example, with the one header in place of all.
example() {
    sed -E 's,^#include <tern/.*,#include "'"$3"'",' "$root/examples/$1.$2" >"$1.$2"
}
example hello cpp tern.hpp
example ships cpp tern.hpp
example hello c tern.h
"$cc" -std=c99 -pedantic -Wall -Wextra -Werror -c hello.c -o hello_c.o
"$cxx" -std=c++20 -Wall -Wextra -Werror -c tern.cpp hello.cpp ships.cpp
"$cxx" hello.o tern.o -lsodium -pthread -o hello
"$cxx" ships.o tern.o -lsodium -pthread -o ships
"$cxx" hello_c.o tern.o -lsodium -pthread -o hello_c
./hello | grep -q "the lamp is off"
./hello_c | grep -q "has switched the lamp off"
