# Platforms other than Linux on x86-64: builds the library and its tests for each, runs them, and
# compares what the simulator does there with what it does here. `./dev platforms` sources it.

platforms_folder=build/platforms
source_folder=build/source
# What each platform needs, as tools_check of ./dev has it.
platforms_tools=("source of GoogleTest:/usr/src/googletest/CMakeLists.txt:googletest"
    "CLI11 of CMake:/usr/share/cmake/CLI11/CLI11Config.cmake:libcli11-dev"
    "JSON of CMake:/usr/share/cmake/nlohmann_json/nlohmann_jsonConfig.cmake:nlohmann-json3-dev")
sodium_release=libsodium-1.0.18
sodium_sha256=d59323c6b712a1519a5daf710b68f5e7fde57040845ffec53850911f10a5d4f4
lua_release=lua-5.4.4
lua_sha256=164c7849653b80ae67bec4b7473b884bf5cc8d2dca05653475ec2ed27b9ebf61
platforms_sockets=(mingw aarch64 riscv64 s390x libcxx)
platforms_all=("${platforms_sockets[@]}" wasm syntax mixed)
# These are played beside the seeds.
platforms_recorded=(tests/traces/*.trace tests/recordings/*.rec)
platforms_tests=(base transport replication migration rpc session sim discovery)

platforms_help() {
    cat <<'TEXT'
Usage: ./dev platforms [--seeds N] [--write-docs] [name ...]

Builds tern and its tests for platforms, runs the tests there, and plays N seeds of the simulator
(default 100), and all kept traces and recordings, whose digests must be those of this machine.
Without names: all of them. --write-docs: then puts what passed into the tables of
docs/platforms.md and README.md.

  mingw     Windows on x86-64, by mingw-w64; wine runs it
  aarch64   Linux on ARM, by g++; qemu-user runs it
  riscv64   Linux on RISC-V, by g++; qemu-user runs it
  s390x     Linux on a big-endian machine, by g++; qemu-user runs it
  libcxx    Linux on x86-64, by clang++ with libc++ 14
  wasm      WebAssembly, by emscripten; node runs it. Also the JavaScript binding, and the page
  syntax    macOS, and the C headers for iOS and MSVC, whose programs nothing here runs: clang
            parses them
  mixed     tern-demo --kill-host with a process of each that has sockets, in one session with
            this machine, which is the host until it is killed
TEXT
}

# platform_facts <name>: sets title, compiler, runner, needs (as of missing()), the flags of CMake,
# the tests that are left out, the modules whose tests run, and what else is built.
platform_facts() {
    flags=("-DCMAKE_TOOLCHAIN_FILE=$root/cmake/toolchains/$1.cmake") left_out=""
    modules=("${platforms_tests[@]}") others=(test_c_interface tern-demo) lua=(-DTERN_LUA=off)
    case $1 in
    mingw)
        title="Windows, x86-64" compiler="mingw-w64 g++" runner=wine
        needs=("mingw-w64:x86_64-w64-mingw32-g++-posix:g++-mingw-w64-x86-64-posix" wine:wine:wine
            wine64:/usr/lib/wine/wine64:wine64)
        lua=(-DTERN_LUA=5.4 "-DTERN_LUA_SOURCE=$PWD/$source_folder/$lua_release")
        others+=(tern-peer)
        ;;
    aarch64 | riscv64 | s390x)
        title="Linux, $1" compiler=g++ runner="qemu-$1"
        needs=("g++ for $1:$1-linux-gnu-g++:g++-$1-linux-gnu" "qemu for $1:qemu-$1:qemu-user")
        [ "$1" = s390x ] && title="$title (big-endian)"
        # qemu-user knows few of the control messages of sockets. One death test starts itself anew,
        # which needs a kernel that runs programs of the machine.
        flags+=(-DCMAKE_CXX_FLAGS=-DTERN_PLAIN_UDP)
        left_out=DiscoverySocket.AQueryTravelsByBroadcastAndByMulticastOfBothVersions
        left_out+=:Crash.InSeveralThreadsOfSendIsReportedOnceAndNamesThePeer
        ;;
    libcxx)
        title="Linux, x86-64" compiler="clang++ with libc++ 14" runner=""
        needs=(clang++:clang++:clang
            "libc++:/usr/lib/llvm-14/include/c++/v1/vector:libc++-dev"
            "libc++abi:/usr/lib/llvm-14/lib/libc++abi.a:libc++abi-dev")
        flags=(-DCMAKE_CXX_COMPILER=clang++ -DCMAKE_C_COMPILER=clang
            -DCMAKE_CXX_FLAGS=-stdlib=libc++)
        ;;
    wasm) # It has no sockets and no threads, which the other tests use.
        title=WebAssembly compiler=emscripten runner=node
        needs=(emscripten:em++:emscripten node:node:nodejs
            acorn:/usr/share/nodejs/acorn/package.json:node-acorn)
        flags=("-DCMAKE_TOOLCHAIN_FILE=$root/cmake/toolchains/emscripten.cmake"
            -Dgtest_disable_pthreads=ON -DTERN_BUILD_PROGRAMS=OFF)
        modules=(base replication migration rpc) others=(tern_javascript tern_page)
        ;;
    syntax)
        title="macOS, x86-64" compiler="clang++ 14, with other headers than Apple's" runner=nothing
        needs=(clang++:clang++:clang
            "libc++:/usr/lib/llvm-14/include/c++/v1/vector:libc++-dev"
            "headers of musl:/usr/include/x86_64-linux-musl/stdio.h:musl-dev")
        ;;
    mixed)
        title="one session of all that have sockets" compiler="as above" runner="as above" needs=()
        ;;
    *) fail "there is no platform '$1'; ./dev platforms --help lists those that are" ;;
    esac
}

# debian_source <package> <its folder> <sha256 of its archive>: unpacks the source of a package into
# $source_folder. Leaves the apt of this machine as it is.
debian_source() {
    local at=$source_folder archive
    [ -d "$at/$2" ] && return 0
    mkdir -p "$at/lists/partial" "$at/part" &&
        echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
            "http://deb.debian.org/debian bookworm main" >"$at/debian.list" || return 1
    local apt=(apt-get -o "Dir::Etc::SourceList=$PWD/$at/debian.list" -o Dir::Etc::SourceParts=-
        -o "Dir::State::Lists=$PWD/$at/lists" -qq)
    "${apt[@]}" update && (cd "$at" && "${apt[@]}" source --download-only "$1") >/dev/null ||
        return 1
    archive=$(compgen -G "$at/*_${2#*-}.orig.tar.gz") &&
        echo "$3  $archive" | sha256sum --check --quiet && tar -xf "$archive" -C "$at/part" &&
        mv "$at/part/$2" "$at/$2"
}

# GoogleTest for the platform, where find_package() finds it.
platform_googletest() {
    local folder=$1
    [ -f "$folder/googletest/installed/lib/cmake/GTest/GTestConfig.cmake" ] && return 0
    cmake -S /usr/src/googletest -B "$folder/googletest" -G Ninja "${flags[@]}" -DBUILD_GMOCK=OFF \
        -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_LIBDIR=lib \
        "-DCMAKE_INSTALL_PREFIX=$PWD/$folder/googletest/installed" &&
        cmake --build "$folder/googletest" --target install
}

# The headers that programs need, where CMake finds them without all the others of this machine.
platform_headers() {
    local at=$platforms_folder/headers name
    mkdir -p "$at/include" "$at/share/cmake"
    for name in CLI11:CLI nlohmann_json:nlohmann; do
        cp -r "/usr/share/cmake/${name%:*}" "$at/share/cmake/" &&
            ln -sfn "/usr/include/${name#*:}" "$at/include/${name#*:}" || return 1
    done
    ln -sfn /usr/include/sodium "$at/include/sodium" &&
        ln -sfn /usr/include/sodium.h "$at/include/sodium.h"
}

# platform_build <folder> <targets ...>
platform_build() {
    local folder=$1 headers=$PWD/$platforms_folder/headers/share/cmake
    platform_googletest "$folder" &&
        cmake -S . -B "$folder/build" -G Ninja -DTERN_BUILD_PROGRAMS=ON "${flags[@]}" \
            -DCMAKE_BUILD_TYPE=RelWithDebInfo \
            "-DTERN_SODIUM_SOURCE=$PWD/$source_folder/$sodium_release" \
            "-DGTest_DIR=$PWD/$folder/googletest/installed/lib/cmake/GTest" \
            "-DCLI11_DIR=$headers/CLI11" "-Dnlohmann_json_DIR=$headers/nlohmann_json" \
            -DTERN_RAPIDCHECK=OFF -DTERN_UNITY=ON -DTERN_HOST=OFF -DTERN_MAP=OFF \
            -DTERN_BUILD_BENCH=OFF -DTERN_BUILD_TWINS=OFF -DTERN_ENET=OFF "${lua[@]}" &&
        cmake --build "$folder/build" --parallel "$jobs" --target "${@:2}"
}

# Prints the command that runs a program of the platform: itself, or its runner.
platform_command() {
    case $runner in
    wine) echo "env WINEDEBUG=-all WINEPREFIX=$PWD/$platforms_folder/wine wine $1.exe" ;;
    node) echo "node $1.js" ;;
    qemu-*) echo "$runner -L /usr/${runner#qemu-}-linux-gnu $1" ;;
    *) echo "$1" ;;
    esac
}

platform_run() {
    local words
    read -ra words <<<"$(platform_command "$1")"
    shift
    "${words[@]}" "$@"
}

# platform_test <folder> <module>: runs its tests in as many processes as there are jobs, one after
# the other where the runner does not pass the environment on.
platform_test() {
    local folder=$1 one=$2 shards=$jobs shard pids=() status=0
    [ "$runner" != node ] || shards=1
    rm -f "$folder/$one".*.log
    for ((shard = 0; shard < shards; shard++)); do
        GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$shard \
            platform_run "$folder/build/test_$one" --gtest_brief=1 "--gtest_filter=-$left_out" \
            >"$folder/$one.$shard.log" 2>&1 &
        pids+=($!)
    done
    for shard in "${pids[@]}"; do
        wait "$shard" || status=1
    done
    return "$status"
}

# gtest_count <word> <folder> <module>: how many tests GoogleTest counted there.
gtest_count() {
    sed -n "s/^\[ *$1 *\] \([0-9]*\) tests\?.*/\1/p" "$2/$3".*.log |
        awk '{ all += $1 } END { print all + 0 }'
}

# The JavaScript binding: its tests, a guest of a host in C++, and in chromium its page and the one
# that shows tern.
platform_try_javascript() {
    local made=$1/build/javascript status=0
    TERN_JAVASCRIPT=$made node --test tests/bindings/javascript_test.mjs || return 1
    build build example_meet || return 1
    tests/bindings/meet.sh build/example_meet node "$made/meet.mjs" || return 1
    tests/bindings/page.sh "$made" && tests/page/page.sh "$1/build/tern_page.html" || status=$?
    [ "$status" = 0 ] || [ "$status" = 77 ] # Skipped.
}

# tern-peer there joins tern-peer here.
platform_try_peer() {
    local words
    read -ra words <<<"$(platform_command "$1/build/tern-peer")"
    build build tern-peer || return 1
    tests/platforms/peers.sh build/tern-peer "${words[@]}" >"$1/peer.log" 2>&1
}

# Parses the library for macOS, where libc++ and the headers of musl stand in for Apple's, and the C
# headers also for systems of which there is no C library here.
platforms_syntax() {
    local folder=$1 target header
    local parse=(clang++ --target=x86_64-apple-macosx11 -std=c++20 -fsyntax-only -Wall -Wextra
        -Werror -nostdinc++ -nostdlibinc -isystem /usr/lib/llvm-14/include/c++/v1
        -isystem /usr/include/x86_64-linux-musl -isystem "$platforms_folder/headers/include"
        -D_GNU_SOURCE -Wno-sign-compare -Iinclude -I.) # Macros of musl compare signs.
    find base transport replication migration rpc session discovery sim -name '*.cpp' -print0 |
        xargs -0 -n 4 -P "$jobs" "${parse[@]}" || return 1
    for target in x86_64-apple-macosx11 arm64-apple-ios14 x86_64-pc-windows-msvc; do
        for header in include/tern/*.h; do
            clang "--target=$target" -x c -std=c99 -pedantic -Wall -Wextra -Werror -ffreestanding \
                -fsyntax-only -Iinclude "$header" || return 1
        done
    done
    echo "| $title | $compiler | $runner | parsed | |" >"$folder/row"
}

# platform_try <name>: leaves its row for the table, or says what went wrong.
platform_try() {
    local name=$1 folder=$platforms_folder/$1 failed="" passed=0 skipped=0 one
    local title compiler runner needs flags left_out modules others lua
    platform_facts "$name"
    mkdir -p "$folder"
    if [ "$name" = syntax ] || [ "$name" = mixed ]; then
        say "platforms: $name"
        rm -f "$folder/row"
        "platforms_$name" "$folder" >"$folder/build.log" 2>&1 && return 0
        say "platforms: $name: FAILED; see $folder/build.log"
        return 1
    fi
    say "platforms: $name: build"
    # Two programs would make its folder at once.
    [ "$name" != mingw ] || WINEDEBUG=-all WINEPREFIX=$PWD/$platforms_folder/wine wineboot -i \
        >/dev/null 2>&1 || true
    if ! platform_build "$folder" "${modules[@]/#/test_}" "${others[@]}" one_world example_hello \
        >"$folder/build.log" 2>&1; then
        grep -m 5 -E "error|Error" "$folder/build.log" >&2
        say "platforms: $name: it was not built; see $folder/build.log"
        return 1
    fi
    for one in "${modules[@]}"; do
        say "platforms: $name: tests of $one"
        platform_test "$folder" "$one" || failed+=" $one"
        passed=$((passed + $(gtest_count PASSED "$folder" "$one")))
        skipped=$((skipped + $(gtest_count SKIPPED "$folder" "$one")))
    done
    if [ "$name" = wasm ]; then
        platform_try_javascript "$folder" >"$folder/javascript.log" 2>&1 ||
            failed+=" javascript"
    else
        platform_run "$folder/build/test_c_interface" >"$folder/c.log" 2>&1 ||
            failed+=" c_interface"
    fi
    platform_run "$folder/build/example_hello" 2>&1 | grep -q "the lamp is off" || failed+=" hello"
    [[ " ${others[*]} " != *" tern-peer "* ]] || platform_try_peer "$folder" || failed+=" peer"
    say "platforms: $name: $platforms_seeds seeds of the simulator, and what is kept"
    platform_run "$folder/build/one_world" "$platforms_seeds" "${platforms_recorded[@]}" \
        2>/dev/null | tr -d '\r' >"$folder/world"
    cmp -s "$platforms_folder/world" "$folder/world" || failed+=" digests"
    rm -f "$folder/row"
    if [ -z "$failed" ]; then
        echo "| $title | $compiler | ${runner:-itself} | $passed passed, $skipped skipped |" \
            "$(wc -l <"$folder/world") equal |" >"$folder/row"
        return 0
    fi
    say "platforms: $name: FAILED:$failed; see $folder/*.log"
    return 1
}

# One session of this machine and of all platforms that have sockets. Leaves its row.
platforms_mixed() {
    local row=$1/row one with=() count
    local title compiler runner needs flags left_out modules others lua
    rm -f "$row"
    build build tern-demo || return 1
    for one in "${platforms_sockets[@]}"; do
        platform_facts "$one"
        platform_build "$platforms_folder/$one" tern-demo || return 1
        with+=(--with "$(platform_command "$platforms_folder/$one/build/tern-demo")")
    done
    count=$((${#platforms_sockets[@]} + 2))
    timeout 300 build/tern-demo --kill-host --peers "$count" --hz 20 "${with[@]}" &&
        platform_facts mixed &&
        echo "| $title | $compiler | $runner | $count processes, tern-demo --kill-host | equal |" \
            >"$row"
}

# The rows of the page count as those of the newest runs, where there has been no other.
platforms_known_rows() {
    local name row title compiler runner needs flags left_out modules others lua
    for name in "${platforms_all[@]}"; do
        row=$platforms_folder/$name/row
        platform_facts "$name"
        mkdir -p "$platforms_folder/$name"
        [ -f "$row" ] || grep -F "| $title | $compiler |" docs/platforms.md >"$row" || rm "$row"
    done
}

platforms() {
    local names=() name title compiler runner needs flags left_out modules others lua failed=""
    local write=false needed=()
    platforms_seeds=100
    while [ $# -gt 0 ]; do
        case $1 in
        --seeds) platforms_seeds=$2 && shift ;;
        --write-docs) write=true ;;
        -h | --help) platforms_help && return ;;
        *) names+=("$1") ;;
        esac
        shift
    done
    [ ${#names[@]} -gt 0 ] || names=("${platforms_all[@]}")
    [[ " ${names[*]} " != *" mixed "* ]] || needed+=("${platforms_sockets[@]}")
    for name in "${names[@]}" "${needed[@]}"; do
        platform_facts "$name"
        need "${tools_build[@]}" "${platforms_tools[@]}" "${needs[@]}"
    done
    mkdir -p "$platforms_folder"
    platforms_known_rows
    platform_headers || fail "the headers of programs and of libsodium cannot be found"
    # Debian has no libsodium for most of these targets, and no Lua for Windows.
    debian_source libsodium "$sodium_release" "$sodium_sha256" ||
        fail "the source of libsodium cannot be had"
    debian_source lua5.4 "$lua_release" "$lua_sha256" || fail "the source of Lua cannot be had"
    if ! configure build || ! build build one_world ||
        ! build/one_world "$platforms_seeds" "${platforms_recorded[@]}" \
            >"$platforms_folder/world"; then
        fail "the simulator fails here"
    fi
    for name in "${names[@]}"; do
        platform_try "$name" || failed+=" $name"
    done
    [ -z "$failed" ] || fail "platforms: FAILED:$failed"
    if [ "$write" = true ]; then
        write_table docs/platforms.md platforms platforms_table &&
            write_table README.md platforms platforms_names || return 1
    fi
    say "platforms: passed: ${names[*]}"
}

# write_table <page> <name> <command>: what the command prints becomes the table of that name.
write_table() {
    {
        sed "/^<!-- $2 -->\$/q" "$1"
        "$3"
        sed -n "/^<!-- end of $2 -->\$/,\$p" "$1"
    } >"build/page" && cp build/page "$1"
}

# README's table: the platforms of the newest runs that passed.
platforms_names() {
    local name
    printf '\n| platform | compiler | run by | tests |\n|---|---|---|---|\n'
    printf '| Linux, x86-64 | g++ 12, clang++ 14 | itself | `./dev check` |\n'
    for name in "${platforms_all[@]}"; do
        cat "$platforms_folder/$name/row" 2>/dev/null
    done | awk -F ' *[|] *' '$4 != "nothing" { printf "| %s | %s | %s | %s |\n", $2, $3, $4, $5 }'
    printf '\n'
}

# The newest runs that passed.
platforms_table() {
    local name
    printf '\n| platform | compiler | run by | tests | digests |\n|---|---|---|---|---|\n'
    for name in "${platforms_all[@]}"; do
        cat "$platforms_folder/$name/row" 2>/dev/null
    done
    printf '\n'
}
