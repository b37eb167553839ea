#!/bin/bash
# Compares the declarations of the Rust binding with the C headers, builds and tests it, and plays
# its example with a host:
# rust.sh FOLDER_FOR_PROGRAMS COMMAND_THAT_PLAYS_WITH_A_GUEST [ARGUMENT ...]
# TERN_LIB_DIR is the folder of the library tern_c. Status 77: there is no cargo.
set -eu
cd "$(dirname "$0")/../.."
export CARGO_TARGET_DIR=${1:?which folder?}/rust LD_LIBRARY_PATH=${TERN_LIB_DIR:?which folder?}
shift
cargo=${CARGO:-cargo}
crates=bindings/rust declared=bindings/rust/tern-sys/src
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v "$cargo" >/dev/null || { echo "skipped: there is no cargo"; exit 77; }

run_cargo() {
    (cd "$crates" && "$cargo" "$@" --quiet --offline --locked -j1)
}

# same <what> <file> <file>: the files have the same lines.
same() {
    diff "$2" "$3" >"$work/differences" && return
    echo "rust: the $1 of $declared are not those of include/tern/*.h:"
    cat "$work/differences"
    exit 1
}

headers=$(ls include/tern/*.h)
# shellcheck disable=SC2086
sed 's,//.*,,' $headers >"$work/headers"
grep -oE '^TERN_API .*\b(tern_\w+)\(' "$work/headers" | grep -oE 'tern_\w+\(' | sort >"$work/c"
sed -nE 's/^ *pub fn (tern_\w+\().*/\1/p' "$declared/functions.rs" | sort >"$work/rust"
same functions "$work/c" "$work/rust"
grep -oE '\bTERN_[A-Z0-9_]+\b' "$work/headers" | sort -u |
    grep -vE '^TERN_(API|EXPORTS|SHARED|VERSION|[A-Z]+_H)$' >"$work/c"
sed -nE 's/^pub const (TERN_\w+):.*/\1/p' "$declared/constants.rs" | sort >"$work/rust"
same constants "$work/c" "$work/rust"

# Writes the functions of functions.rs as declarations of C, which a C compiler accepts beside those
# of the headers only if all parameters and results have the same types.
functions_in_c() {
    tr '\n' ' ' <"$declared/functions.rs" | grep -oE 'pub fn [^;]+;' | awk '
        BEGIN {
            split("u8 uint8_t u16 uint16_t u32 uint32_t u64 uint64_t i64 int64_t f32 float " \
                  "f64 double usize size_t c_char char c_void void", names, " ")
            for (i = 1; i in names; i += 2) in_c[names[i]] = names[i + 1]
        }
        function type_in_c(type) {
            if (sub(/^\*const /, "", type)) return type_in_c(type) " const *"
            if (sub(/^\*mut /, "", type)) return type_in_c(type) " *"
            return type in in_c ? in_c[type] : type
        }
        {
            match($0, /tern_[a-z0-9_]+\(/)
            name = substr($0, RSTART, RLENGTH - 1)
            rest = substr($0, RSTART + RLENGTH)
            result = "void"
            if (match(rest, /-> .*;/)) result = type_in_c(substr(rest, RSTART + 3, RLENGTH - 4))
            sub(/\).*/, "", rest)
            parameters = ""
            count = split(rest, part, ",")
            for (i = 1; i <= count; ++i) {
                if (!sub(/^ *[a-z0-9_]+: /, "", part[i])) continue
                sub(/ *$/, "", part[i])
                parameters = parameters (parameters == "" ? "" : ", ") type_in_c(part[i])
            }
            print result " " name "(" (parameters == "" ? "void" : parameters) ");"
        }
    '
}

# A C compiler compares values, sizes, offsets and functions.
run_cargo run --example layout >"$work/layout"
[ "$(grep -vc ' - ' "$work/layout")" = "$(grep -cE '^ +pub \w+:' "$declared/types.rs")" ] ||
    { echo "rust: examples/layout.rs does not have all members of types.rs"; exit 1; }
{
    for header in $headers; do echo "#include \"${header#include/}\""; done
    sed -nE 's/^pub const (\w+): \w+ = (.*);/_Static_assert(\1 == \2, "\1");/p' \
        "$declared/constants.rs" | sed -E ':again; s/([0-9])_([0-9])/\1\2/; t again'
    awk '
        $2 == "-" { printf "_Static_assert(sizeof(%s) == %s, \"%s\");\n", $1, $4, $0; next }
        { printf "_Static_assert(offsetof(%s, %s) == %s, \"%s\");\n", $1, $2, $3, $0
          printf "_Static_assert(sizeof(((%s *)0)->%s) == %s, \"%s\");\n", $1, $2, $4, $0 }
    ' "$work/layout"
    functions_in_c
} >"$work/layout.c"
"${CC:-cc}" -std=c11 -fsyntax-only -Iinclude "$work/layout.c"

# Each block of code of the page behind "<!-- FILE -->" is a part of that file.
awk -v out="$work/block" '
    /^<!-- bindings.* -->$/ { file = $2; next }
    /^```/ && inside { inside = 0; close(path); next }
    /^```/ && file != "" { inside = 1; path = out (++count); print file >(path ".of"); file = ""
                           close(path ".of"); next }
    inside { print >path }
    END { if (count < 2) exit 1 }
' docs/use/rust.md
for block in "$work"/block*.of; do
    text=$(cat "${block%.of}") file=$(cat "$block")
    [[ $(cat "$file") == *"$text"* ]] ||
        { echo "rust: docs/use/rust.md shows what is not in $file:"; echo "$text"; exit 1; }
done

run_cargo test
run_cargo build --example meet
"$@" "$CARGO_TARGET_DIR/debug/examples/meet"
