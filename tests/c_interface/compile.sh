#!/bin/bash
# Compiles the headers, the suite and the example with each compiler that is here, as C99 and as
# C++: compile.sh SOURCE_FOLDER
set -uo pipefail
cd "${1:?which folder has the source of tern?}" || exit 1

strict=(-pedantic -Wall -Wextra -Wno-missing-field-initializers
    -Wconversion -Wshadow -Werror -fsyntax-only -Iinclude -I.)
failed=0 tried=0
compile() { # compile WORD...: a compiler with its options
    command -v "$1" >/dev/null || return 0
    tried=$((tried + 1))
    "$@" "${strict[@]}" || failed=1
}
for source in tests/c_interface/*.c examples/*.c; do
    compile gcc -std=c99 "$source"
    compile clang -std=c99 "$source"
    compile g++ -std=c++20 -x c++ "$source"
    compile clang++ -std=c++20 -x c++ "$source"
done
# The headers alone must also be good C++ of games that use an older one.
for compiler in g++ clang++; do
    for header in include/tern/*.h; do
        compile "$compiler" -std=c++11 -x c++ "$header"
    done
done
if [ "$tried" -eq 0 ]; then
    echo "no compiler was found"
    exit 1
fi
exit $failed
