#!/bin/bash
# Writes tern as three files that need libsodium alone: tern.h (C), tern.hpp (C++) and tern.cpp.
#     packaging/amalgamate.sh FOLDER
# A game adds them to its own: g++ -std=c++20 -O2 game.cpp tern.cpp -lsodium
set -euo pipefail
folder=$(realpath -m "${1:?which folder is to have the files?}")
cd "$(dirname "$0")/.."
mkdir -p "$folder"
version=$(sed -nE 's/^project\(tern VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)

# put <file ...>: prints the files, each local #include in its place, once. The files that `known`
# lists are in another of the three.
put() {
    awk -v known="$known" '
        function is_there(file,   line) {
            if ((getline line <file) < 0) return 0
            close(file)
            return 1
        }
        function resolved(name, from,   path) {
            path = from
            sub(/[^\/]*$/, "", path)
            if (is_there(path name)) return path name
            if (is_there("include/" name)) return "include/" name
            if (is_there(name)) return name
            print "amalgamate: " from ": there is no " name >"/dev/stderr"
            status = 1
            return ""
        }
        function put(file,   line, name) {
            if (file == "" || file in done) return
            done[file] = 1
            while ((getline line <file) > 0) {
                if (line ~ /^#pragma once/) continue
                if (line ~ /^#include "/ || line ~ /^#include <tern\//) {
                    name = line
                    gsub(/^#include ["<]|[">].*$/, "", name)
                    put(resolved(name, file))
                    continue
                }
                print line
            }
            close(file)
        }
        BEGIN {
            count = split(known, names, " ")
            for (i = 1; i <= count; i++) done[names[i]] = 1
            for (i = 1; i < ARGC; i++) put(ARGV[i])
            exit status
        }
    ' "$@"
}

head() {
    printf '// tern %s: %s packaging/amalgamate.sh has made this file.\n' "$version" "$1"
    sed 's,^,// ,; s, *$,,' LICENSE
}

c_headers=(include/tern/*.h)
cpp_headers=(include/tern/*.hpp)
known=""
{
    head "the C interface."
    echo "#ifndef TERN_H_ALL"
    echo "#define TERN_H_ALL"
    put "${c_headers[@]}"
    echo "#endif"
} >"$folder/tern.h"
known="${c_headers[*]}"
{
    head "the C++ interface."
    echo "#pragma once"
    echo '#include "tern.h"'
    put "${cpp_headers[@]}"
} >"$folder/tern.hpp"
known="${c_headers[*]} ${cpp_headers[*]} $(find include/tern/detail -type f | tr '\n' ' ')"
modules=(base transport replication migration rpc session discovery)
mapfile -t sources < <(find "${modules[@]}" -name '*.cpp' ! -name 'enet_*' | sort)
{
    head "all that there is to compile; it needs libsodium."
    echo '#include "tern.hpp"'
    put "${sources[@]}" sim/network/{delay_line,impaired_socket,network}.cpp
} >"$folder/tern.cpp"
