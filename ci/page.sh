#!/bin/bash
# ./dev page: the page that shows tern, in one file, and its test in a browser. ./dev reads this
# file.
# shellcheck disable=SC2034,SC2154 # It has set root and tools_build; platforms.sh has the rest.

page_folder=build-page

page_help() {
    cat <<'TEXT'
Usage: ./dev page

Builds the page that shows tern (docs/use/page.md) by emscripten, and plays it in chromium where
that is installed. It is one file, and needs no server.
TEXT
}

page() {
    case ${1:-} in
    -h | --help) page_help && return ;;
    "") ;;
    *) fail "page has no option '$1'; see ./dev page --help" ;;
    esac
    local title compiler runner needs flags left_out modules others lua status=0
    platform_facts wasm
    need "${tools_build[@]}" "${needs[@]}"
    debian_source libsodium "$sodium_release" "$sodium_sha256" ||
        fail "the source of libsodium cannot be had"
    if ! configure "$page_folder" "${flags[@]}" -DCMAKE_BUILD_TYPE=Release \
        "-DTERN_SODIUM_SOURCE=$root/$source_folder/$sodium_release" -DTERN_BUILD_TESTS=OFF \
        -DTERN_BUILD_BENCH=OFF -DTERN_BUILD_EXAMPLES=OFF ||
        ! build "$page_folder" tern_page; then
        fail "page: it was not built"
    fi
    tests/page/page.sh "$page_folder/tern_page.html" "$page_folder/pictures" || status=$?
    [ "$status" = 0 ] || [ "$status" = 77 ] || fail "page: FAILED"
    say "page: open file://$root/$page_folder/tern_page.html"
}
