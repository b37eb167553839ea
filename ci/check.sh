#!/bin/bash
# The steps of ./dev check and ./dev nightly; ./dev reads this file.
# shellcheck disable=SC2154 # It has set root, jobs and the lists of tools.

# The fresh Debian has no git, so its tests skip the subjects of commits.
check_format() {
    code_files | xargs clang-format --dry-run --Werror && tests/commit_subjects.sh
    local status=$?
    [ "$status" -eq 0 ] || [ "$status" -eq 77 ]
}

# Builds the programs that later steps run, and the core as one file. The tests of the default
# compiler run in the fresh Debian, or here, where that cannot be.
check_build() {
    if [ -n "$(why_no_fresh)" ]; then
        test_all && build build tern_core_in_one
    else
        configure build && build build tern-sim tern-sim-mutants tern-demo tern-bench tern-find \
            tern-prof tern_core_in_one
    fi
}

# Uses the core that check_build has compiled.
check_abi() {
    build build tern_abi && tests/c_interface/abi.sh build/abi/libtern.so
    local status=$?
    [ "$status" -eq 0 ] || [ "$status" -eq 77 ]
}

# What needs an interpreter or luarocks, which the fresh Debian has not; nor have most machines.
check_lua_here() {
    local tool targets
    for tool in luarocks luacheck lua5.4 luajit; do
        command -v "$tool" >/dev/null || continue
        mapfile -t targets < <(ninja -C build -t targets all |
            grep -oE '^tern_lua[a-z0-9]*_loadable: phony' | cut -d: -f1)
        build build "${targets[@]}" &&
            run_tests build -R '^lua\.(loads_.*|luacheck|rockspec)$'
        return
    done
    say "skipped: there is no Lua here"
}

# More seeds of what other tests try, what compares amounts of bytes, and what reads text: with
# sanitizers they are for nightly.
with_sanitizers_later='*HostSeeds*:*101To200*:*201To300*:Congestion.*:Failover.*:*Crossings*/1'
with_sanitizers_later+=':Explorer.ALivingPeer*:*SeedsThatFailedHold*:MovingCrowd.PredictedTypes*'
with_sanitizers_later+=':Snapshots.WhatGoesToAndFro*'

# All other tests again, with sanitizers and clang's warnings, and here, where a browser and
# promtool are.
check_sanitized() {
    configure_sanitized && build build-sanitize all &&
        TERN_LEFT_OUT=$with_sanitizers_later run_tests build-sanitize -LE 'slow|fuzz|tidy'
}

check_demos() {
    local socket
    for socket in udp udp6 enet; do
        say "demo --socket $socket"
        timeout 120 build/tern-demo --socket "$socket" --seconds 8 || return 1
    done
    say "demo --topology star"
    timeout 120 build/tern-demo --topology star --peers 24 --hz 20 --seconds 8 --no-kill || return 1
    local kill
    for kill in --no-kill --kill-host --kill-two; do
        say "demo --cut-pairs 2 $kill"
        timeout 120 build/tern-demo --peers 6 --cut-pairs 2 "$kill" --seconds 8 \
            --with build/tern-demo || return 1
    done
}

# Where the machine does not allow it, it says why.
check_nats() {
    tests/nat/matrix.sh build/tern-demo
    local status=$?
    [ "$status" -eq 0 ] || [ "$status" -eq 77 ]
}

# refused <pattern> <command>: it must end soon, by itself, not well, and with these words.
refused() {
    local pattern=$1 output status
    shift
    output=$(timeout 30 "$@" 2>&1 </dev/null)
    status=$?
    if [ "$status" -eq 0 ] || [ "$status" -ge 124 ] || ! grep -qiE -- "$pattern" <<<"$output"; then
        say "bad input: '$*' ended with $status and said:"
        printf '%s\n' "$output"
        return 1
    fi
    say "bad input: '${*:2}' is refused: $(grep -iE -m 1 -- "$pattern" <<<"$output")"
}

check_bad_input() {
    timeout 120 build/tern-demo --trial all &&
        refused 'peers' build/tern-demo --peers 0 &&
        refused 'peers' build/tern-demo --peers 99 &&
        refused 'loss' build/tern-demo --loss 101 &&
        refused 'socket' build/tern-demo --socket pigeon &&
        refused 'cut-pairs' build/tern-demo --cut-pairs 2 --kill-host &&
        refused 'no-such-option' build/tern-demo --no-such-option &&
        refused 'announce' build/tern-demo --announce nobody &&
        refused 'process 2 has not been found' build/tern-demo --with /no/such/program &&
        refused 'does not expect: hello' build/tern-demo --with 'echo hello' &&
        refused 'port' build/tern-find --port 0 &&
        refused 'subcommand' build/tern-prof &&
        refused 'star' build/tern-prof scene --topology ring &&
        refused 'no recording' build/tern-prof play README.md &&
        refused 'not JSON' build/tern-prof show README.md &&
        refused 'subcommand' build/tern-sim &&
        refused 'seed' build/tern-sim run --seed seven &&
        refused 'peers' build/tern-sim run --peers 1 &&
        refused 'bananas' build/tern-sim run --faults loss,bananas &&
        refused 'star' build/tern-sim run --topology ring &&
        refused 'no/such/file' build/tern-sim replay no/such/file &&
        refused 'neither a trace nor' build/tern-sim replay README.md &&
        refused 'S99' build/tern-sim scenario S99 &&
        refused 'objects' build/tern-sim soak --objects 10 &&
        refused 'end' build/tern-sim failover --end pigeon &&
        refused 'nobody' build/tern-sim mutants nobody
}

# The first seed is another one with each commit, and can be had again from it.
commit_seed() {
    printf '%d\n' "0x$(git rev-parse HEAD 2>/dev/null | cut -c 1-8)" 2>/dev/null || echo 1
}

# sim <options>: runs tern-sim and shows its line.
sim() {
    say "tern-sim $*"
    timeout 3000 build/tern-sim "$@"
}

# The parts of a network that fell apart go on, and become one session again. A host does not find
# another one through addresses that have changed, so no fault changes them.
meeting_faults=start=2..5,crash=1..2,partition=2..5,cut=2..8,pause=1..3,leave=1..2
meeting_faults+=,create=20..60,set=50..200,claim=20..60,loss=5..20

check_sweep() {
    local topology
    for topology in mesh star; do
        sim sweep --seeds 200 --first "$(commit_seed)" --jobs "$jobs" --topology "$topology" \
            --folder build/sim-failures || return 1
        sim sweep --seeds 40 --first "$(commit_seed)" --jobs "$jobs" --topology "$topology" \
            --quorum survivors --faults "$meeting_faults" --folder build/sim-failures || return 1
        sim sweep --seeds 100 --first "$(commit_seed)" --jobs "$jobs" --topology "$topology" \
            --byzantine 1 --faults loss=5..20 --folder build/sim-failures || return 1
    done
}

# A connection's memory is touched as it comes into use: what stays, a million objects show.
check_soak() {
    together sim <<'TEXT'
soak --objects 1000000
failover --seeds 20
failover --seeds 20 --end leave
TEXT
}

# A second run of the same seed must give the same digest.
check_determinism() {
    local seed recording
    for seed in 1 2 3 "$(commit_seed)"; do
        sim run --twice --seed "$seed" --seconds 10 || return 1
    done
    sim run --seed 42 --record build/42.trace --svg build/42.svg --json build/42.json \
        --page build/42.html || return 1
    sim replay build/42.trace || return 1
    rm -rf build/recordings && build/tern-demo --seconds 6 --record build/recordings >&2 || return 1
    for recording in build/recordings/*.rec; do
        sim replay "$recording" || return 1
    done
}

# And so must another compiler's.
check_digests() {
    sim sweep --seeds 100 --seconds 5 --digests --jobs "$jobs" >build/digests || return 1
    build-sanitize/tern-sim sweep --seeds 100 --seconds 5 --digests --jobs "$jobs" \
        >build-sanitize/digests || return 1
    [ "$(grep -c '^seed' build/digests)" -ge 100 ] &&
        diff <(grep '^seed' build/digests | sort) <(grep '^seed' build-sanitize/digests | sort) &&
        say "100 seeds: the digests of g++ and of clang++ with sanitizers are equal"
}

# exhausted <scope>: nothing may be left out.
exhausted() {
    local line
    line=$(sim explore "$@") || { printf '%s\n' "$line" && return 1; }
    printf '%s\n' "$line"
    grep -q '"exhausted":true' <<<"$line"
}

# together <command>: calls ./dev <command> with the words of each line of the input, as many at a
# time as there are cores.
together() {
    xargs -P "$jobs" -d '\n' -I '{}' bash -c "\"$root/dev\" $1 {}"
}

# The longest first.
check_explorer() {
    together exhausted <<'TEXT' && sim scenario all
--peers 4 --claims 0 --destroys 0 --crashes 2 --joins 1 --survivors
--peers 3 --claims 1 --destroys 1 --crashes 1 --joins 1
--peers 4 --claims 1 --crashes 2 --survivors
--star --peers 3 --claims 1 --destroys 1 --crashes 1 --joins 1
--star --peers 2 --creates 3 --claims 0 --destroys 2 --crashes 1 --joins 1 --objects-max 2
--peers 3 --creates 3 --claims 0 --destroys 2 --crashes 1 --objects-max 2
--peers 4 --claims 1 --destroys 0 --crashes 1 --lies 1
--star --peers 4 --claims 1 --destroys 0 --crashes 1 --lies 1
--star --peers 4 --claims 2 --destroys 1 --crashes 1
--peers 3 --claims 1 --destroys 0 --crashes 1 --updates 1 --hides 2
--peers 4 --claims 1 --destroys 0 --crashes 1 --suspicions 1
--star --peers 4 --claims 1 --destroys 0 --crashes 1 --suspicions 1
--star --peers 3 --claims 0 --destroys 0 --crashes 0 --joins 1 --lies 1
--peers 3 --claims 1 --destroys 0 --crashes 1 --lies 2
--star --peers 5 --creates 0 --claims 0 --destroys 0 --crashes 1 --lies 1
--peers 5 --creates 0 --claims 0 --destroys 0 --crashes 1 --lies 1
--peers 4 --claims 0 --destroys 0 --crashes 1 --lies 1 --liar 2
--peers 4 --claims 1 --destroys 1 --crashes 1
--peers 3 --claims 2 --destroys 1 --crashes 1
--peers 3 --claims 1 --destroys 1 --crashes 1 --updates 1 --losses 1
--peers 2 --claims 1 --destroys 1 --crashes 1 --joins 1
--peers 2 --creates 3 --claims 0 --destroys 2 --crashes 1 --joins 1 --objects-max 1
--peers 2 --creates 3 --claims 1 --destroys 2 --crashes 1 --objects-max 2
--peers 3 --creates 3 --claims 0 --destroys 2 --crashes 1 --objects-max 1
--peers 3 --claims 1 --destroys 0 --crashes 1 --updates 2
--peers 3 --claims 2 --destroys 1 --holds 1
--peers 3 --claims 1 --destroys 1 --forges 1 --suspicions 1
--star --peers 3 --claims 1 --destroys 1 --updates 1 --losses 1 --forges 1
--star --peers 3 --claims 0 --destroys 0 --crashes 1 --updates 1 --hides 2 --losses 1
TEXT
}

check_mutants() {
    sim mutants --time-limit 30 --jobs "$jobs" --folder build/sim-mutants
}

# From the same place each time: what a longer search finds is for nightly, and not for a change
# that has nothing to do with it.
check_fuzz() {
    TERN_FUZZ_SEED=1 "$root/dev" fuzz --seconds 12
}

check_bench() {
    timeout 300 build/tern-bench --quick
}

# What a long output has to say about its failures, shown again where it is not lost.
failed_lines() {
    grep -aE '\((Failed|Timeout|SEGFAULT|Subprocess aborted)\)|FAILED|[Ee]rror:|ERROR:' "$1" |
        tail -n 20 | cut -c 1-200 | sed 's/^/    /'
}

# step <name> <function>: runs it, takes its time, notes what came of it in the folder $results.
step() {
    local name=$1 start=$SECONDS log
    shift
    log=$(mktemp) || exit 1
    printf '\n=== %s\n' "$name" >&2
    if "$@" > >(tee -a "$log") 2> >(tee -a "$log" >&2); then
        printf '  %-24s passed   %5d s\n' "$name" $((SECONDS - start)) >>"$results/summary"
    else
        sleep 1 # Until the log is whole.
        {
            printf '  %-24s FAILED   %5d s\n' "$name" $((SECONDS - start))
            failed_lines "$log"
        } >>"$results/summary"
        echo "$name" >>"$results/failed"
    fi
    rm -f "$log"
}

# beside <lane> <lane>: two functions that call step() at the same time. What the first one says is
# shown when both are done.
beside() {
    "$1" >"$results/lane" 2>&1 </dev/null &
    local lane=$!
    "$2"
    wait "$lane"
    cat "$results/lane" >&2
}

# begin, and conclude <name>: around the steps of check and nightly.
begin() {
    need "${tools_build[@]}" "${tools_check[@]}" "${tools_docs[@]}"
    need_sanitizers
    results=$(mktemp -d) || exit 1
    TERN_COMMIT_SEED=$(commit_seed) # For tests that try a part, another one with each commit.
    export TERN_COMMIT_SEED TERN_STRICT=1
}

conclude() {
    local failures
    failures=$(grep -c . "$results/failed" 2>/dev/null)
    printf '\n%s: %d s\n' "$1" "$SECONDS"
    cat "$results/summary"
    rm -rf "$results"
    [ "${failures:-0}" -eq 0 ] || fail "$1: $failures steps FAILED"
    say "$1: passed"
}

# Both cores are busy, so it gives way to what happens in real time.
lane_simulator() {
    renice -n 10 "$BASHPID" >/dev/null
    step "explorer, scenarios" check_explorer
    step "soak, hosts that go" check_soak
    step "sweep" check_sweep
    step "mutants" check_mutants
}

# Most of its time it waits.
lane_programs() {
    step "demos" check_demos
    step "NATs of the kernel" check_nats
    step "bad input" check_bad_input
    step "bench, a quick round" check_bench
    step "determinism" check_determinism
    step "Lua of this machine" check_lua_here
    step "the book" "$root/dev" docs
}

# What fails here fails again in its own step.
lane_base() {
    [ -n "$(why_no_fresh)" ] || make_base
}

lane_build() {
    step "format" check_format
    step "g++ -Werror" check_build
    step "ABI of libtern" check_abi
}

check() {
    begin
    beside lane_base lane_build
    step "fresh Debian 12, tests" fresh
    beside lane_simulator lane_programs
    step "sanitizers, tests" check_sanitized
    step "digests of clang++" check_digests
    step "fuzz targets" check_fuzz
    conclude check
}

# Each file by itself, as it is for who builds with CMake alone, and optimised.
nightly_plain() {
    configure build-plain -DTERN_UNITY=OFF -DTERN_TEST_OPTIONS= && build build-plain all &&
        TERN_EVERY_BIT=1 run_tests build-plain
}

nightly_sanitized() {
    configure_sanitized ON && build build-sanitize all &&
        TERN_EVERY_BIT=1 run_tests build-sanitize -LE 'slow|fuzz'
}

# Hours instead of minutes, for a machine that has nothing else to do.
nightly() {
    begin
    step "g++ -Werror" check_build
    step "file by file, tests" nightly_plain
    step "sanitizers, all tests" nightly_sanitized
    step "sweep, 20,000 seeds" sim sweep --seeds 20000 --first "$(commit_seed)" --jobs "$jobs" \
        --folder build/sim-failures
    step "sweep, 10,000 stars" sim sweep --seeds 10000 --first "$(commit_seed)" --jobs "$jobs" \
        --topology star --folder build/sim-failures
    step "soak, ten million" sim soak --objects 10000000
    step "soak, 8 peers" sim soak --objects 2000000 --peers 8 --alive 4000 --loss 10
    step "explorer, 4 peers" exhausted --peers 4 --claims 2 --destroys 1 --crashes 2
    step "explorer, updates" exhausted --peers 3 --claims 2 --destroys 1 --updates 1 --losses 1 \
        --holds 1
    step "explorer, joins" exhausted --peers 3 --claims 2 --destroys 1 --crashes 1 --joins 1
    step "explorer, a liar" exhausted --peers 3 --creates 2 --claims 1 --destroys 0 --crashes 1 \
        --lies 1 --objects-max 3
    step "explorer, a liar of survivors" exhausted --peers 4 --claims 1 --destroys 0 --crashes 1 \
        --lies 1 --survivors
    step "mutants" sim mutants --time-limit 60 --jobs "$jobs" --folder build/sim-mutants
    step "other platforms" "$root/dev" platforms
    step "engines and languages" "$root/dev" engines
    step "packages" "$root/dev" package
    step "a release, made twice" packaging/release.sh --snapshot --twice build/release
    step "page in a browser" "$root/dev" page
    step "planted mistakes" "$root/dev" plant
    step "fuzz targets" "$root/dev" fuzz --seconds 600
    conclude nightly
}
