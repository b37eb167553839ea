#!/bin/bash
# ./dev engines: the bindings, played by the engines and languages of Debian. ./dev reads this file.
# shellcheck disable=SC2154 # It has set jobs and tools_build; platforms.sh has the rest.

engines_folder=build-engines
engines_tools=(python3:python3:python3 mcs:mcs:mono-mcs mono:mono:mono-runtime cargo:cargo:cargo
    love:love:love xvfb-run:xvfb-run:xvfb "Godot without a window:godot3-server:godot3-server")
godot_release=godot-3.2.3-stable
godot_sha256=4c2a8e7da1ad05c6223b0ff6cf2be124dad6708b56a8ec9910dc2aaf82a553ae

engines_help() {
    cat <<'TEXT'
usage: ./dev engines [--bench] [--write-docs]

Builds the libraries that engines and languages load, and plays a small game in each of them
against a host in C++, without a window: Godot 3, LÖVE, C# (mono), Python, Rust. JavaScript is
a platform: ./dev platforms wasm. Missing packages are installed; Godot's headers are in the source
of its package.

  --bench       then measure how fast each of them reads 1,000 objects, beside C
  --write-docs  put what ran into the tables of docs/platforms.md
TEXT
}

# engines_row <test> <name> <version>: a row of the table, if the tests of that name have run.
engines_row() {
    local count
    count=$(grep -cE "Test +#[0-9]+: bindings\.$1.* Passed" "$engines_folder/log") || return 0
    printf '| %s | %s | %s passed |\n' "$2" "$3" "$count"
}

version_of() {
    "$1" --version | grep -oE '[0-9]+\.[0-9.]+' | head -n 1
}

engines_table() {
    printf '\n| engine or language | version | programs of tests |\n|---|---|---|\n'
    engines_row godot "Godot, by GDNative" "$(version_of godot3-server | cut -d. -f1-3)"
    engines_row love "LÖVE, with tern's Lua module" "$(version_of love)"
    engines_row csharp "C#, by P/Invoke" "mono $(version_of mono)"
    engines_row python "Python, by ctypes" "$(version_of python3)"
    engines_row rust "Rust, by FFI" "$(version_of rustc)"
    printf '\n'
}

# engines_time <name> <command>: appends the times that it prints to files of that name.
engines_time() {
    local name=$1 way ns
    shift
    "$@" 2>"$engines_folder/languages/$name.log" | tr -d '\r' |
        grep -E '^(each|many|all) [0-9.]+$' >"$engines_folder/languages/$name.now" || return 1
    while read -r way ns; do
        echo "${ns%.*}" >>"$engines_folder/languages/$name.$way"
    done <"$engines_folder/languages/$name.now"
}

# Measures all languages in turn, five times. JavaScript takes part if ./dev platforms wasm has
# built it.
engines_bench() {
    local made=$engines_folder/languages round status=0
    local wasm=$PWD/$platforms_folder/wasm/build/javascript library=$PWD/$engines_folder
    rm -rf "$made" && mkdir -p "$made/love" && cp bench/languages/read.lua "$made/love/main.lua" &&
        cc -std=c99 -O2 -Iinclude bench/languages/read.c -o "$made/read" "-L$library" -ltern_c \
            "-Wl,-rpath,$library" &&
        mcs -unsafe -langversion:latest "-out:$made/Read.exe" bindings/csharp/Runtime/*.cs \
            bench/languages/Read.cs || return 1
    for round in 1 2 3 4 5; do
        say "engines: round $round of 5"
        engines_time c "$made/read" &&
            engines_time godot godot3-server --path bindings/godot -s \
                "$PWD/bench/languages/read.gd" &&
            engines_time csharp env "LD_LIBRARY_PATH=$library" mono "$made/Read.exe" &&
            engines_time python env PYTHONPATH=bindings/python \
                "TERN_LIBRARY=$library/libtern_c.so" python3 bench/languages/read.py &&
            engines_time love env "LUA_CPATH=$library/lua/?.so;;" xvfb-run -a love "$made/love" ||
            status=1
        [ ! -d "$wasm" ] || engines_time javascript env "TERN_JAVASCRIPT=$wasm" node \
            bench/languages/read.mjs || status=1
    done
    return "$status"
}

# languages_row <file> <name>: the median of its times, and the ratios to those of C.
languages_row() {
    local made=$engines_folder/languages
    [ -f "$made/$1" ] || return 0
    paste -d, <(sort -n "$made/$1") <(sort -n "$made/c.each") <(sort -n "$made/c.all") |
        awk -F, -v name="$2" 'NR == 3 && $1 != "" {
            printf "| %s | %.1f us | %.2f | %.1f |\n", name, $1 / 1000, $1 / $2, $1 / $3 }'
}

languages_table() {
    printf '\n| in | 1,000 objects | times the first row | times the third row |\n'
    printf '|---|---|---|---|\n'
    languages_row c.each "C, by \`tern_get()\` of each"
    languages_row c.many "C, by \`tern_get_many()\`"
    languages_row c.all "C, by \`tern_object_values()\`"
    languages_row godot.all "Godot, by \`get_all()\`"
    languages_row csharp.all "C# (mono), by \`Values()\`"
    languages_row javascript.all "JavaScript, by \`read_column()\`"
    languages_row python.all "Python, by \`values()\`: whole structs"
    languages_row love.all "LÖVE, by \`object_values()\`, into three tables"
    printf '\n'
}

engines() {
    local write=false bench=false
    while [ $# -gt 0 ]; do
        case $1 in
        --write-docs) write=true ;;
        --bench) bench=true ;;
        -h | --help) engines_help && return ;;
        *) fail "engines: there is no option '$1'; expected --bench or --write-docs" ;;
        esac
        shift
    done
    need "${tools_build[@]}" "${engines_tools[@]}"
    debian_source godot3 "$godot_release" "$godot_sha256" || fail "Godot's source cannot be had"
    configure "$engines_folder" "-DTERN_GODOT_SOURCE=$PWD/$source_folder/$godot_release" &&
        build "$engines_folder" tern_c tern_godot tern_lua_loadable example_meet || exit 1
    run_tests "$engines_folder" -L bindings 2>&1 | tee "$engines_folder/log"
    [ "${PIPESTATUS[0]}" = 0 ] || fail "engines: FAILED"
    [ "$bench" = false ] || engines_bench ||
        fail "engines: the bench FAILED; see $engines_folder/languages/*.log"
    [ "$bench" = false ] || languages_table
    [ "$write" = false ] || write_table docs/platforms.md engines engines_table
    [ "$write" = false ] || [ "$bench" = false ] ||
        write_table docs/platforms.md languages languages_table
    say "engines: passed"
}
