#!/bin/bash
# A host under load: bots join one tern-host over the loopback and play through a network that loses
# datagrams in both directions. In the end all bots and the host must have the same world.
#
# With --kill, a second tern-bot process with a quarter of the bots is killed (SIGKILL) during the
# play: no object may be lost or have two owners, and the others must play on.
#
# Usage: load.sh [--count N] [--seconds N] [--loss %] [--kill] [--programs FOLDER] [-- OPTION ...]
# Options after -- are passed to tern-bot.
# Exit status: 0 for success, 1 for a failure, 77 if the programs are not built.
set -uo pipefail

count=64 seconds=60 loss=2 kill=no
programs=$(cd "$(dirname "$0")/../../build" 2>/dev/null && pwd)
usage() {
    sed -n 's/^# Usage: /usage: /p' "$0" >&2
    exit 1
}
while [ $# -gt 0 ]; do
    case $1 in
    --kill) kill=yes && shift && continue ;;
    --) shift && break ;;
    --count | --seconds | --loss | --programs) [ $# -ge 2 ] || usage ;;
    *) usage ;;
    esac
    case $1 in
    --count) count=$2 ;;
    --seconds) seconds=$2 ;;
    --loss) loss=$2 ;;
    --programs) programs=$2 ;;
    esac
    shift 2
done
load=("$@")
[[ $count =~ ^[0-9]+$ && $seconds =~ ^[0-9]+$ ]] && [ "$count" -ge 4 ] && [ "$seconds" -ge 10 ] || {
    echo "load: --count is a whole number from 4, --seconds from 10" >&2
    exit 1
}
for program in tern-host tern-ctl tern-bot; do
    [ -x "$programs/$program" ] || {
        echo "skipped: no $program in $programs"
        exit 77
    }
done

folder=$(mktemp -d)
host=0 bots=0 victims=0
finish() {
    for process in $bots $victims $host; do
        [ "$process" -gt 0 ] && command kill -9 "$process" 2>/dev/null
    done
    rm -rf "$folder"
}
trap finish EXIT

fail() {
    echo "load: FAILED: $1"
    for log in "$folder"/*.log; do
        echo "--- $(basename "$log"), its end:" && tail -n 8 "$log"
    done
    exit 1
}

# wait_for <seconds> <what> <command ...>: repeats the command until it succeeds.
wait_for() {
    local left=$(($1 * 5)) what=$2
    shift 2
    until "$@"; do
        left=$((left - 1))
        for process in $host $bots $victims; do
            [ "$process" -eq 0 ] || command kill -0 "$process" 2>/dev/null ||
                fail "a program has ended while $what had to come"
        done
        [ $left -gt 0 ] || fail "$what did not come"
        sleep 0.2
    done
}

status() { "$programs/tern-ctl" --socket "$folder/socket" --json status >"$folder/status"; }
# Each prints one number of the status: of the process, or of the room's statistics.
of_host() { grep -o "\"$1\":[0-9]*" "$folder/status" | head -n 1 | cut -d : -f 2; }
of_room() {
    grep -o '"stats":{[^}]*}' "$folder/status" | head -n 1 | grep -o "\"$1\":[0-9]*" | cut -d : -f 2
}
digest() { grep -o '"digest":"[0-9a-f]*"' "$folder/status" | cut -d '"' -f 4; }
members() { grep -o '"joined_us"' "$folder/status" | wc -l; }
has_members() { status && [ "$(members)" -eq "$1" ]; }

# start_bots <log> <count> <options ...>: starts tern-bot in the background.
start_bots() {
    local log=$1 number=$2
    shift 2
    "$programs/tern-bot" --count "$number" --peers-max $((count + 1)) --loss "$loss" \
        "${load[@]}" --json "$@" "$invite" >"$folder/$log.json" 2>"$folder/$log.log" &
}

# --- The host ---

cat >"$folder/host.toml" <<END
http.listen = ""
control.socket = "$folder/socket"
[[room]]
port = 0
peers_max = $((count + 1))
timeout_ms = 5000
END
"$programs/tern-host" --config "$folder/host.toml" >"$folder/ready" 2>"$folder/host.log" &
host=$!
wait_for 20 "the host's ready line" grep -q '^tern-host ready' "$folder/ready"
invite=$(grep -o 'tern1-[^ ]*' "$folder/ready")

# --- The bots ---

players=$count
if [ $kill = yes ]; then
    victims_count=$((count / 4))
    players=$((count - victims_count))
    start_bots victims $victims_count --name victim --seed 2 --seconds 0
    victims=$!
fi
start_bots bots "$players" --seconds "$seconds" --settle 60 --stay
bots=$!
wait_for 60 "all $count bots" has_members $((count + 1))
status || fail "the host does not answer"
cpu=$(of_host cpu_us) now=$(of_host now_us)
received=$(of_room received_bytes) sent=$(of_room sent_bytes)
if [ $kill = yes ]; then
    sleep $((seconds / 3))
    status && objects=$(of_room objects)
    command kill -9 $victims && wait $victims 2>/dev/null
    victims=0
    wait_for 30 "the end of the killed" has_members $((players + 1))
else
    sleep $((seconds - 2))
fi
status || fail "the host does not answer"
cpu=$(($(of_host cpu_us) - cpu)) now=$(($(of_host now_us) - now))
received=$(($(of_room received_bytes) - received)) sent=$(($(of_room sent_bytes) - sent))
wait_for $((seconds + 90)) "an end of the bots" grep -qi 'settled' "$folder/bots.log"
grep -q '^settled' "$folder/bots.log" || fail "the bots do not see the same world"

# --- Comparison of the worlds ---

status || fail "the host does not answer"
theirs=$(grep -o 'digest [0-9a-f]*' "$folder/bots.log" | cut -d ' ' -f 2)
[ -n "$theirs" ] && [ "$theirs" = "$(digest)" ] || fail "bots have $theirs, the host $(digest)"
owned=$(grep -o '[0-9]* of them' "$folder/bots.log" | cut -d ' ' -f 1)
all=$(of_room objects)
[ $((owned + $(of_room owned))) -eq "$all" ] ||
    fail "the bots own $owned, the host $(of_room owned), of $all objects"
[ $kill = no ] || [ "$all" -eq "$objects" ] || fail "$objects objects before the kill, now $all"
overruns=$(of_host overruns)

command kill -TERM $bots && wait $bots || fail "tern-bot ended with $?"
bots=0
command kill -TERM $host && wait $host || fail "tern-host ended with $?"
host=0

echo "load: $count bots, $loss % loss each way, $seconds s: digest $theirs on all, $all objects"
[ $kill = no ] || echo "load: $victims_count of them were killed, and nothing is lost"
echo "load: the host took $((cpu / (now / 100))) % of a processor," \
    "sent $((sent * 1000 / now)) kB/s, received $((received * 1000 / now)) kB/s;" \
    "$overruns ticks overran"
tail -n 2 "$folder/bots.log" | sed -n 's/^in /load: bots, in /p'
echo "load: $(cat "$folder/bots.json")"
