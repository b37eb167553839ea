#!/bin/bash
# Two peers behind NATs of the kernel, each of its own kind, and a host without one, in network
# namespaces: all must be members of one session, direct where the two kinds allow it, bridged else.
#     tests/nat/matrix.sh [PATH OF tern-demo]
# Exit status: 0 all as expected, 1 not, 77 skipped: this machine does not allow it; it says why.
#
# Kinds, by RFC 4787: open (no NAT), cone (mapping by the inner address alone, filters nothing),
# filtered (the same mapping; lets in only what comes from where something was sent to), symmetric
# (another port for each destination, and as filtered).
set -u
demo=$(realpath "${1:-build/tern-demo}")

skip() {
    echo "nat matrix: skipped: $1"
    exit 77
}

if [ "${TERN_NAT_INSIDE:-}" = "" ]; then
    [ -x "$demo" ] || { echo "nat matrix: $demo is not there: build it first"; exit 1; }
    for tool in ip iptables unshare; do
        command -v $tool >/dev/null || skip "there is no $tool (apt-get install iproute2 iptables)"
    done
    unshare -Urnm true 2>/dev/null || skip "unprivileged network namespaces are not allowed here"
    TERN_NAT_INSIDE=1 exec unshare -Urnm "$0" "$demo"
fi

mount -t tmpfs tmpfs /run 2>/dev/null || skip "no tmpfs for /run can be mounted"
mkdir -p /run/netns
ip netns add internet 2>/dev/null || skip "no network namespace can be named"
export XTABLES_LOCKFILE=/run/xtables.lock
logs=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$logs"' EXIT

in_ns() { ip netns exec "$@"; }

# A namespace on the bridge of the internet: name, address.
attach() {
    ip netns add "$1"
    ip link add "$1-wan" netns internet type veth peer name wan netns "$1"
    in_ns internet ip link set "$1-wan" master core up
    in_ns "$1" ip addr add "$2/24" dev wan
    in_ns "$1" ip link set wan up
    in_ns "$1" ip link set lo up
}

# A peer of this kind: name, kind, public address, number of its private network.
place() {
    if [ "$2" = open ]; then
        attach "$1" "$3"
        return
    fi
    attach "$1-nat" "$3"
    ip netns add "$1"
    ip link add wan netns "$1" type veth peer name lan netns "$1-nat"
    in_ns "$1-nat" ip addr add "192.168.$4.1/24" dev lan
    in_ns "$1-nat" ip link set lan up
    in_ns "$1-nat" sysctl -qw net.ipv4.ip_forward=1
    in_ns "$1" ip addr add "192.168.$4.2/24" dev wan
    in_ns "$1" ip link set wan up
    in_ns "$1" ip link set lo up
    in_ns "$1" ip route add default via "192.168.$4.1"
    local masquerade=(in_ns "$1-nat" iptables -t nat -A POSTROUTING -o wan -p udp -j MASQUERADE)
    case $2 in
    cone)
        "${masquerade[@]}" &&
            in_ns "$1-nat" iptables -t nat -A PREROUTING -i wan -p udp -j DNAT \
                --to-destination "192.168.$4.2"
        ;;
    filtered) "${masquerade[@]}" ;;
    symmetric) "${masquerade[@]}" --random-fully ;;
    esac || skip "iptables cannot make a NAT here"
    # What was not asked for ends at the NAT, without a word.
    [ "$2" = cone ] || in_ns "$1-nat" iptables -A INPUT -i wan -p udp -j DROP
}

clean() {
    kill $(jobs -p) 2>/dev/null
    wait 2>/dev/null
    rm -f "$logs"/*
    for name in $(ip netns list | cut -d' ' -f1); do ip netns del "$name"; done
}

members() { sed -n 's/.* members=\([0-9]*\) .*/\1/p' "$1" | tail -1; }
bridged() { sed -n 's/.* bridged=\([0-9]*\) .*/\1/p' "$1" | tail -1; }

# Whether both say so, within 12 s: members, bridged.
reached() {
    for _ in $(seq 60); do
        sleep 0.2
        for log in a b; do
            [ "$(members "$logs/$log")" = 3 ] && [ "$(bridged "$logs/$log")" = "$1" ] || continue 2
        done
        return 0
    done
    return 1
}

# Kinds of the two, and how they are to end: 0 direct, 1 bridged.
try() {
    clean
    ip netns list | grep -q . && { echo "nat matrix: a namespace is left"; exit 1; }
    ip netns add internet
    in_ns internet ip link add core type bridge
    in_ns internet ip link set core up
    attach host 10.9.0.1
    place a "$1" 10.9.0.2 2
    place b "$2" 10.9.0.3 3
    # By "ip" itself: a function of the shell would be another process, and killed in its place.
    ip netns exec host "$demo" --listen 7777 --address 10.9.0.1:7777 --seconds 40 \
        >"$logs/host" 2>&1 &
    local invite=""
    for _ in $(seq 50); do
        invite=$(sed -n 's/.*--join //p' "$logs/host")
        [ -n "$invite" ] && break
        sleep 0.1
    done
    ip netns exec a "$demo" --join "$invite" --seconds 40 >"$logs/a" 2>&1 &
    ip netns exec b "$demo" --join "$invite" --seconds 40 >"$logs/b" 2>&1 &
    local way=direct
    [ "$3" = 1 ] && way=bridged
    if reached "$3"; then
        echo "nat matrix: $1 and $2: $way, as expected"
        return
    fi
    echo "nat matrix: $1 and $2: expected $way; they say"
    tail -n 2 "$logs/host" "$logs/a" "$logs/b"
    wrong=1
}

wrong=0
try open open 0
try open filtered 0
try open symmetric 0
try cone filtered 0
try cone symmetric 0
try filtered filtered 0
try symmetric filtered 1
try symmetric symmetric 1
clean
[ $wrong = 0 ] && echo "nat matrix: all as expected"
exit $wrong
