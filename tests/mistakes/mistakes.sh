#!/bin/bash
# Compiles each file of this folder: with a mistake, which the compiler must refuse with the text
# after "// error:", and without it (-DRIGHT): mistakes.sh COMPILER INCLUDE_FOLDER
set -uo pipefail
cd "$(dirname "$0")"

compiler=${1:?which compiler?} include=${2:?which folder has tern/?}
failed=0
for file in *.cpp; do
    expected=$(sed -n '1s|^// error: ||p' "$file")
    compile=("$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -I"$include" "$file")
    if ! said=$("${compile[@]}" -DRIGHT 2>&1); then
        echo "$file: refused without the mistake: $said" | head -5
        failed=1
    fi
    if said=$("${compile[@]}" 2>&1); then
        echo "$file: accepted with the mistake"
        failed=1
    elif ! grep -qF -- "$expected" <<<"$said"; then
        echo "$file: expected \"$expected\", the compiler says: $(grep error <<<"$said" | head -3)"
        failed=1
    fi
done
exit $failed
