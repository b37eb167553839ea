#!/bin/bash
# Two machines on one network, as network namespaces with a bridge between them: one announces a
# demo, the other lists and joins it, once over IPv4 only and once over IPv6 only. Usage:
# two_machines.sh <folder of the programs>. Exit status 77: there are no namespaces.
set -uo pipefail

folder=$1
if [ "${2:-}" != inside ]; then
    unshare --user --map-root-user --net --mount true 2>/dev/null && command -v ip >/dev/null || {
        echo "skipped: no network namespaces here"
        exit 77
    }
    exec unshare --user --map-root-user --net --mount --pid --fork --kill-child \
        "$0" "$folder" inside
fi

fail() {
    echo "two_machines: FAILED: $1"
    exit 1
}

# /proc shows the processes outside the namespace, where LeakSanitizer would not find its threads.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
mount -t tmpfs none /run && mkdir -p /run/netns && ip link add bridge type bridge &&
    ip link set bridge up || exit 77
for name in ada ben; do
    ip netns add $name && ip link add to-$name type veth peer name eth0 netns $name &&
        ip link set to-$name master bridge up && ip -n $name link set eth0 up || exit 77
done

# try <socket> <address of ada> <address of ben> <address as it is printed> [nodad]
try() {
    local socket=$1 list game status
    # shellcheck disable=SC2086 # nodad is a word or nothing.
    ip -n ada addr add "$2" dev eth0 ${5:-} && ip -n ben addr add "$3" dev eth0 ${5:-} || exit 77
    ip netns exec ada "$folder/tern-demo" --listen 7777 --socket "$socket" \
        --announce "Ada's" --seconds 60 >/run/ada 2>&1 &
    game=$!
    for _ in $(seq 50); do
        list=$(ip netns exec ben "$folder/tern-find" --once --seconds 0.3) && break
    done
    grep -q "^Ada's  *tern-demo  *1/16  *open  *$4" <<<"$list" || fail "$socket is listed as: $list"
    ip netns exec ben timeout 30 "$folder/tern-demo" --find --socket "$socket" --seconds 5 >/run/ben
    status=$?
    grep -q "open members=2" /run/ben && [ $status -eq 0 ] ||
        fail "$socket is not joined: $(cat /run/ben)"
    kill $game && wait $game || fail "the demo over $socket did not end well: $(cat /run/ada)"
    ip -n ada addr del "$2" dev eth0 && ip -n ben addr del "$3" dev eth0
    echo "two_machines: $socket: found and joined"
}

try udp 10.9.0.1/24 10.9.0.2/24 '10\.9\.0\.1:7777'
try udp6 'fd00:9::1/64' 'fd00:9::2/64' '\[fd00:9::1\]:7777' nodad
