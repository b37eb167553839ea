#!/bin/bash
# ./dev plant: mistakes planted by rule, and which checks find them; ./dev reads this file.
# shellcheck disable=SC2154 # It has set root, jobs and the lists of tools.

# The mistakes are planted in a copy of the tree, which is built once: the environment variable
# TERN_PLANTED chooses the one that a process makes. docs/testing.md, "Planted mistakes".
plant_folder=build-plant
plant_modules=(transport replication migration rpc session discovery lua_bindings host)
plant_seconds_max=900 # Of the slow tests of a module with one mistake

# The program of tests of a module.
plant_program() {
    if [ "$1" = lua_bindings ]; then echo test_lua; else echo "test_$1"; fi
}

# The tests of a module, without those that ./dev test --quick leaves out, and those. No browser
# runs within the limits.
plant_quick() {
    printf -- '-*%s*:PageTest.*' "${slow_tests//|/*:*}"
}
plant_slow() {
    printf '*%s*:-PageTest.*' "${slow_tests//|/*:*}"
}

# Copies all files of the repository that are newer than their copies, and removes copies of files
# that are gone.
plant_copy() {
    local tree=$plant_folder/tree
    mkdir -p "$tree"
    git ls-files --cached --others --exclude-standard | while read -r file; do
        [ -f "$file" ] && printf '%s\n' "$file"
    done | sort >"$plant_folder/files"
    (cd "$tree" && find . -type f | cut -c 3- | sort) | comm -13 "$plant_folder/files" - |
        (cd "$tree" && xargs -r -d '\n' rm -f)
    xargs -d '\n' cp --parents --preserve=timestamps --update -t "$tree" <"$plant_folder/files"
}

# Reads the compiler's errors, and prints the key of the mistake at each: that of the error's line,
# else the nearest one above it in the file.
plant_errors() {
    sed -nE "s|^.*$plant_folder/tree/([^:]+):([0-9]+):[0-9]+: (fatal )?error:.*|\1\t\2|p" "$1" |
        sort -u | awk -F'\t' '
            FNR == NR { file[FNR] = $3; line[FNR] = $4; key[FNR] = $8; count = FNR; next }
            {
                best = 0
                for (i = 1; i <= count; ++i)
                    if (file[i] == $1 && line[i] <= $2 && (!best || line[i] >= line[best]))
                        best = i
                if (best) print key[best]
            }' "$plant_folder/planted" -
}

# plant_build <seed> <count> <modules>: plants and builds; drops what does not compile, and plants
# other mistakes instead.
plant_build() {
    local seed=$1 count=$2 targets=(tern-sim) module round found
    shift 2
    for module in "$@"; do targets+=("$(plant_program "$module")"); done
    "${CXX:-c++}" -std=c++20 -O1 -I. ci/plant.cpp tests/tidy_source.cpp \
        -o "$plant_folder/plant" || return 1
    touch "$plant_folder/dropped"
    for round in 1 2 3 4 5 6 7 8 9; do
        "$plant_folder/plant" . "$plant_folder/tree" "$seed" "$count" "$plant_folder/dropped" \
            "$@" >"$plant_folder/planted" || return 1
        cmake -S "$plant_folder/tree" -B "$plant_folder/build" -G Ninja "${quick[@]}" \
            "-DCMAKE_CXX_COMPILER_LAUNCHER=$(launcher)" -DTERN_BUILD_TWINS=OFF \
            -DTERN_BUILD_BENCH=OFF -DTERN_BUILD_EXAMPLES=OFF \
            "-DCMAKE_CXX_FLAGS=-w -include $root/ci/planted.h" >&2 || return 1
        say "plant: build $round of $(wc -l <"$plant_folder/planted") mistakes"
        cmake --build "$plant_folder/build" -j "$jobs" --target "${targets[@]}" -- -k 0 \
            >"$plant_folder/build.log" 2>&1 && return
        found=$(plant_errors "$plant_folder/build.log" | sort -u)
        [ -n "$found" ] || break
        say "plant: $(wc -l <<<"$found") mistakes do not compile and are replaced"
        printf '%s\n' "$found" >>"$plant_folder/dropped"
    done
    tail -n 30 "$plant_folder/build.log" >&2
    fail "plant: the copy cannot be built: $plant_folder/build.log"
}

# plant_run <number> <seconds> <log> <command>: what happens with this mistake. The limit is one of
# processor time, so that other work on the machine ends no test; four times as long may pass.
plant_run() {
    local number=$1 seconds=$2 log=$3
    shift 3
    (
        cd "$plant_folder/build" || exit 1
        ulimit -c 0 -v 12000000 -t "$seconds"
        TERN_PLANTED=$number timeout -k 5 "$((4 * seconds))" "$@"
    ) >"$log" 2>&1 </dev/null
}

# plant_tests <number> <module> <filter> <seconds>: prints the name of the test that fails, which
# fails alone as well, since tests with real sockets may fail on a busy machine. Nothing: all pass.
plant_tests() {
    local number=$1 program seconds=$4 log=$plant_folder/results/$1.log name status again
    program=./$(plant_program "$2")
    for again in 1 2; do
        plant_run "$number" "$seconds" "$log" "$program" --gtest_filter="$3" --gtest_fail_fast
        status=$?
        [ "$status" -eq 0 ] && return
        # A test that ended the process has no line that says so.
        name=$(sed -nE 's/^\[  FAILED  \] ([^ ,]+\.[^ ,]+).*/\1/p' "$log" | head -n 1)
        [ -n "$name" ] || name=$(sed -n 's/^\[ RUN      \] //p' "$log" | tail -n 1)
        [ -z "$name" ] && echo "the start of $program" && return
        case $status in
        124 | 137 | 152) echo "$name (no end)" && return ;;
        esac
        plant_run "$number" "$seconds" "$log.again" "$program" --gtest_filter="$name" ||
            { echo "$name" && return; }
    done
}

# plant_seeds <number>: prints the topology whose seeds find the mistake.
plant_seeds() {
    local topology
    for topology in mesh star; do
        plant_run "$1" 900 "$plant_folder/results/$1.seeds" ./tern-sim sweep --seeds 100 --jobs 1 \
            --topology "$topology" --folder "../results/$1.failures" ||
            { echo "seeds of $topology" && return; }
    done
}

# The reason why a mistake changes nothing that a peer or its game can notice, if there is one.
plant_reason() {
    plant_file=$1 plant_before=$2 plant_after=$3 awk -F'\t' '
        $1 == ENVIRON["plant_file"] && $2 == ENVIRON["plant_before"] &&
            $3 == ENVIRON["plant_after"] { print $4; exit }' ci/plant_equivalent.tsv
}

# plant_one <number>: one mistake; prints a line about it and keeps that.
plant_one() {
    local number=$1 module file line rule before after what
    IFS=$'\t' read -r _ module file line rule before after _ < \
        <(awk -F'\t' -v number="$number" '$1 == number' "$plant_folder/planted")
    what=$(plant_reason "$file" "$before" "$after")
    if [ -n "$what" ]; then
        what="equivalent: $what"
    else
        what=$(plant_tests "$number" "$module" "$(plant_quick)" \
            "$(cat "$plant_folder/seconds.$module")")
        [ -n "$what" ] ||
            what=$(plant_tests "$number" "$module" "$(plant_slow)" "$plant_seconds_max")
        case $module in
        host | lua_bindings) ;;
        *) [ -n "$what" ] || what=$(plant_seeds "$number") ;;
        esac
        if [ -n "$what" ]; then what="found by $what"; else what="NOT FOUND"; fi
    fi
    printf '%s\t%s:%s\t%s\t%s\t->\t%s\t%s\n' "$number" "$file" "$line" "$rule" "$before" "$after" \
        "$what" | tee "$plant_folder/results/$number"
}

# How long the tests of each module take without a mistake, all at once as later. They must pass.
plant_baseline() {
    local module start log
    for module in "$@"; do
        start=$SECONDS
        log=$plant_folder/baseline.$module
        plant_run 0 "$plant_seconds_max" "$log" "./$(plant_program "$module")" \
            --gtest_filter="$(plant_quick)" || fail "plant: without a mistake: see $log"
        echo $(((SECONDS - start) * 3 + 20)) >"$plant_folder/seconds.$module"
        say "plant: the tests of $module take $((SECONDS - start)) s"
    done
}

# The part of the mistakes of each module that tests, or tests and seeds, find.
plant_score() {
    sort -n "$plant_folder"/results/*[0-9] | awk -F'\t' -v modules="$*" '
        {
            module = $2
            sub("/.*", "", module)
            if ($7 ~ /^equivalent/) { equal[module] += 1; next }
            all[module] += 1
            if ($7 ~ /^found by seeds/) seeds[module] += 1
            else if ($7 ~ /^found/) tests[module] += 1
        }
        END {
            count = split(modules, names, " ")
            for (i = 1; i <= count; ++i) {
                m = names[i]
                found = tests[m] + seeds[m]
                printf "%-14s %3d mistakes: %3d found by its tests, %3d more by seeds, ", m, all[m],
                    tests[m], seeds[m]
                printf "%3d not (%d %%), and %d equivalent\n", all[m] - found,
                    all[m] ? 100 * found / all[m] : 0, equal[m]
            }
        }'
}

plant() {
    local seed=1 count=20 modules=() again=false
    while [ $# -gt 0 ]; do
        case $1 in
        --module)
            [[ " ${plant_modules[*]} " == *" ${2:-} "* ]] ||
                fail "plant: no module '${2:-}', but: ${plant_modules[*]}"
            modules+=("$2")
            shift
            ;;
        --count | --seed)
            [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || fail "plant: $1 needs a number above 0"
            if [ "$1" = --count ]; then count=$2; else seed=$2; fi
            shift
            ;;
        --again) again=true ;; # Only what was not found
        *) fail "plant: there is no option '$1'" ;;
        esac
        shift
    done
    [ ${#modules[@]} -gt 0 ] || modules=("${plant_modules[@]}")
    need "${tools_build[@]}" git:git:git
    mkdir -p "$plant_folder/results"
    plant_copy && plant_build "$seed" "$count" "${modules[@]}" || exit 1
    plant_baseline "${modules[@]}"
    $again || rm -rf "$plant_folder/results"/*
    cut -f1 "$plant_folder/planted" | while read -r number; do
        grep -qE 'found by|equivalent:' "$plant_folder/results/$number" 2>/dev/null ||
            printf '%s\n' "$number"
    done | xargs -P "$jobs" -I '{}' "$root/dev" plant_one '{}'
    plant_score "${modules[@]}"
}
