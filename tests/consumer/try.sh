#!/bin/bash
# Installs tern and uses it in each way that a game may: find_package with the static and with the
# shared library, pkg-config, add_subdirectory, FetchContent. The work folder is made anew.
# Usage: try.sh <source folder> <work folder>
set -euo pipefail

source_dir=$(realpath "$1")
work_dir=$2
here=$source_dir/tests/consumer
cxx=${CXX:-c++}

rm -rf "$work_dir"
mkdir -p "$work_dir"
cd "$work_dir"

# Runs a command quietly; says all that it wrote if it fails.
quietly() {
    if ! "$@" >log 2>&1; then
        cat log
        echo "consumer: FAILED: $*"
        exit 1
    fi
}

launcher=()
if command -v ccache >/dev/null; then
    launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
fi

# What is tried here is how tern is built and linked, not how fast it is.
fast=(-DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0)

# components <name>: together they are the whole installation, and nothing is in two of them.
components() {
    local part
    for part in runtime development tools lua; do
        mkdir -p "parts/$part"
        quietly cmake --install "build-$1" --prefix "$work_dir/parts/$part" --component "$part"
    done
    (cd "$1-first" && find . ! -type d | sort) >whole
    (for part in parts/*; do (cd "$part" && find . ! -type d); done | sort) >parts.all
    if ! diff whole parts.all; then
        echo "consumer: FAILED: the components (>) are not the whole installation (<)"
        exit 1
    fi
    if find parts/runtime ! -type d ! -name 'libtern*.so.0.*' | grep . ||
        find parts/development -name '*.so.*' | grep .; then
        echo "consumer: FAILED: the files above are in the wrong component"
        exit 1
    fi
    rm -rf parts
    echo "consumer: components ok"
}

# build_and_install <name> <cmake options>
build_and_install() {
    local name=$1
    shift
    quietly cmake -G Ninja -S "$source_dir" -B "build-$name" "${launcher[@]}" \
        "${fast[@]}" -DCMAKE_INSTALL_PREFIX="$work_dir/$name-first" \
        -DTERN_BUILD_TESTS=OFF -DTERN_BUILD_PROGRAMS=OFF -DTERN_BUILD_EXAMPLES=OFF \
        -DTERN_BUILD_BENCH=OFF -DTERN_INSTALL=ON "$@"
    quietly cmake --build "build-$name" -j 2
    quietly cmake --install "build-$name"
    [ "$name" = static ] || components "$name"
    # The tree must bear being moved, and must not need the build folder.
    mv "$name-first" "$name"
    rm -rf "build-$name"
    if grep -rlF -e "$source_dir" -e "$work_dir" "$name/lib"*/cmake "$name/lib"*/pkgconfig; then
        echo "consumer: FAILED: the files above name the build's folders"
        exit 1
    fi
}

# build_consumer <name> <cmake options>
build_consumer() {
    local name=$1
    shift
    quietly cmake -G Ninja -S "$here" -B "use-$name" "${launcher[@]}" "${fast[@]}" "$@"
    quietly cmake --build "use-$name" --target consumer
    quietly "./use-$name/consumer"
    echo "consumer: $name ok"
}

# File by file, with all warnings: each file must include what it uses.
build_and_install static -DBUILD_SHARED_LIBS=OFF -DTERN_WERROR=ON -DTERN_BUILD_TWINS=OFF
build_consumer package-static -DCONSUMER_WAY=package -DCMAKE_PREFIX_PATH="$work_dir/static"

fast+=(-DTERN_UNITY=ON)
build_and_install shared -DBUILD_SHARED_LIBS=ON
build_consumer package-shared -DCONSUMER_WAY=package -DCMAKE_PREFIX_PATH="$work_dir/shared"
# Not through a pipe: grep ends at the first hit, and ldd, cut off, fails now and then.
loaded=$(ldd use-package-shared/consumer)
if ! grep -q 'libtern\.so\.0\.[0-9]* ' <<<"$loaded"; then
    printf '%s\n' "$loaded"
    echo "consumer: FAILED: the program does not load libtern.so by its soname"
    exit 1
fi

for lua in luajit:5.1 lua5.4:5.4; do
    if pkg-config --exists "${lua%:*}" && ! ls shared/lib*/lua/"${lua#*:}"/tern.so >/dev/null; then
        echo "consumer: FAILED: no module for ${lua%:*} was installed"
        exit 1
    fi
done

# A name with two times :: is that of a private function.
private=$(nm -DC --defined-only shared/lib*/libtern*.so | grep -E ' [A-Z] tern::[a-z_]+::' || true)
if [ -n "$private" ]; then
    printf '%s\n' "$private"
    echo "consumer: FAILED: the libraries export the private names above"
    exit 1
fi

PKG_CONFIG_PATH=$(dirname "$(find "$work_dir/static" -name tern.pc)")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # The flags are words.
quietly "$cxx" -std=c++20 -Wall -Wextra -Werror "$here/main.cpp" -o use-pkg-config \
    $(pkg-config --static --cflags --libs tern-sim tern)
quietly ./use-pkg-config
echo "consumer: pkg-config static ok"
# shellcheck disable=SC2046
quietly "${CC:-cc}" -std=c99 -pedantic -Wall -Wextra -Werror "$source_dir/examples/hello.c" \
    -o use-c $(pkg-config --static --cflags --libs tern-udp)
quietly ./use-c
PKG_CONFIG_PATH=$(dirname "$(find "$work_dir/shared" -name tern.pc)")
# shellcheck disable=SC2046
quietly "${CC:-cc}" -std=c99 "$source_dir/examples/hello.c" -o use-c-shared \
    -Wl,-rpath,"$(pkg-config --variable=libdir tern)" $(pkg-config --cflags --libs tern-udp tern)
quietly ./use-c-shared
echo "consumer: C with both ok"

build_consumer subdirectory -DCONSUMER_WAY=subdirectory -DTERN_SOURCE_DIR="$source_dir" \
    -DTERN_ENET=OFF # Once without.
build_consumer fetch -DCONSUMER_WAY=fetch -DFETCHCONTENT_SOURCE_DIR_TERN="$source_dir"
rm -rf "$work_dir"
echo "consumer: all ok"
