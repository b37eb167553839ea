#!/bin/bash
# ./dev engines: the bindings, played by the engines and languages of Debian. ./dev reads this file.
# shellcheck disable=SC2154 # It has set jobs and tools_build; platforms.sh has the rest.

engines_folder=build-engines
engines_tools=(python3:python3:python3 mcs:mcs:mono-mcs mono:mono:mono-runtime love:love:love
    xvfb-run:xvfb-run:xvfb "Godot without a window:godot3-server:godot3-server")
godot_release=godot-3.2.3-stable
godot_sha256=4c2a8e7da1ad05c6223b0ff6cf2be124dad6708b56a8ec9910dc2aaf82a553ae

engines_help() {
    cat <<'TEXT'
usage: ./dev engines [--write-docs]

Builds the libraries that engines and languages load, and plays a small game in each of them
against a host in C++, without a window: Godot 3, LÖVE, C# (mono), Python. JavaScript is a
platform: ./dev platforms wasm. Missing packages are installed; Godot's headers are in the source
of its package.

  --write-docs  put what ran into the table of docs/platforms.md
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
    printf '\n'
}

engines() {
    local write=false
    case ${1:-} in
    "") ;;
    --write-docs) write=true ;;
    -h | --help) engines_help && return ;;
    *) fail "engines: there is no option '$1'; expected --write-docs" ;;
    esac
    need "${tools_build[@]}" "${engines_tools[@]}"
    debian_source godot3 "$godot_release" "$godot_sha256" || fail "Godot's source cannot be had"
    configure "$engines_folder" "-DTERN_GODOT_SOURCE=$PWD/$source_folder/$godot_release" &&
        build "$engines_folder" tern_c tern_godot tern_lua_loadable example_meet || exit 1
    run_tests "$engines_folder" -L bindings 2>&1 | tee "$engines_folder/log"
    [ "${PIPESTATUS[0]}" = 0 ] || fail "engines: FAILED"
    [ "$write" = false ] || write_table engines engines_table
    say "engines: passed"
}
