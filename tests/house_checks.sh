#!/bin/bash
# Measures the language and the layout of the source and fails where a figure is over its bar:
# comments of the core that begin with a fragment or speak of telling and hearing, files in one
# folder, mutation points in the core, wide lines of prose, and headers that do not go together.
# Usage: house_checks.sh [<compiler>]
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

compiler=${1:-${CXX:-c++}}
core=(base transport replication migration rpc session discovery include/tern)
over=0

# figure <what> <value> <bar>: the value must be an integer, at most the bar.
figure() {
    local verdict=""
    if ! [ "$2" -le "$3" ]; then
        verdict="  OVER THE BAR"
        over=1
    fi
    printf '%-58s %6d   at most %d%s\n' "$1" "$2" "$3" "$verdict"
}

core_files() {
    find "${core[@]}" -name '*.h' -o -name '*.hpp' -o -name '*.cpp'
}

# comments_of_ten_thousand <pattern>: how many of 10,000 comments of the core match.
comments_of_ten_thousand() {
    core_files | xargs awk -v pattern="$1" '
        /http/ { next }
        (at = index($0, "//")) {
            text = substr($0, at)
            sub(/^[\/!< ]+/, "", text)
            if (length(text) < 3) next
            all += 1
            # Words only: the character before and after is none of a word.
            if (match(" " text " ", pattern)) found += 1
        }
        END { if (all < 1000) print 10000; else printf "%d\n", 10000 * found / all }'
}

fragment='^ (Of|Who|Whom|What|Whose|The same|Those|So many|As|At|By|Its|It)[^A-Za-z0-9_]'
hearsay='[^A-Za-z0-9_](told|tells?|says?|said|heard|hear)[^A-Za-z0-9_]'
figure "comments that begin with a fragment, of 10,000" \
    "$(comments_of_ten_thousand "$fragment")" 300
figure "comments about telling and hearing, of 10,000" \
    "$(comments_of_ten_thousand "$hearsay")" 100

# Corpora and the escapes of scripts are data.
largest=$(find . -type f -not -path './build*' -not -path './.git/*' | sed 's,^\./,,' |
    grep -vE '^(fuzz/corpus|tests/scripts/escapes)/' | grep / |
    sed 's,/[^/]*$,,' | sort | uniq -c | sort -rn | head -n 1)
figure "files in the largest folder ($(awk '{print $2}' <<<"$largest"))" \
    "$(awk '{print $1}' <<<"$largest")" 40
figure "mutation points in the core" "$(core_files | xargs grep -o 'TERN_MUTANT(' | wc -l)" 0
prose=(README.md CONTRIBUTING.md docs/*.md docs/use/*.md)
figure "lines of prose over 120 columns" \
    "$(awk 'length($0) > 120 && !/^\|/' "${prose[@]}" | wc -l)" 0

# errors <file>: how many errors the compiler finds in it; at least 1 if it fails.
errors() {
    local output count
    output=$("$compiler" -std=c++20 -fsyntax-only -I. -Iinclude "$1" 2>&1) && echo 0 && return
    count=$(grep -c 'error' <<<"$output")
    echo $((count > 0 ? count : 1))
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
core_files | grep -E '\.h(pp)?$' | sort |
    sed 's,^include/,,; s/.*/#include "&"/' >"$folder/headers.cpp"
figure "errors with all headers of the core in one file" "$(errors "$folder/headers.cpp")" 0
figure "errors with the names that callers choose for variables" \
    "$(errors tests/natural_names.cpp)" 0
exit "$over"
