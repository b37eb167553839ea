#!/bin/bash
# Plays systemctl for tests/host/guide.sh where systemd is not process 1: starts and stops what a
# unit says, in the background, with its runtime directory and environment; nothing of its
# hardening.
set -u
command=$1
unit=${*: -1}
unit=${unit%.service}
file=/etc/systemd/system/$unit.service
pid_file=/run/$unit.pid

value() { sed -n "s/^$1=//p" "$file" | tail -n 1 | sed 's,%t,/run,g'; }

start() {
    local directory
    directory=$(value RuntimeDirectory)
    [ -z "$directory" ] || mkdir -p "/run/$directory"
    # shellcheck disable=SC2046,SC2086 # The words of the unit.
    RUNTIME_DIRECTORY=/run/$directory setsid env $(value Environment) $(value ExecStart) \
        >"/run/$unit.out" 2>&1 </dev/null &
    echo $! >"$pid_file"
    # systemd waits for READY=1.
    for _ in $(seq 100); do
        grep -q 'ready' "/run/$unit.out" && return
        kill -0 $! 2>/dev/null || break
        sleep 0.1
    done
    cat "/run/$unit.out"
    return 1
}

# signal <name> <command>: what is not running is an error, as with systemd.
signal() {
    kill "-$1" "$(cat "$pid_file")" 2>/dev/null && return
    echo "systemctl: $unit is not running"
    exit 1
}

case $command in
daemon-reload) ;;
enable) start ;;
reload) signal HUP ;;
stop)
    signal TERM
    while kill -0 "$(cat "$pid_file")" 2>/dev/null; do sleep 0.1; done
    ;;
is-active) kill -0 "$(cat "$pid_file")" ;;
*)
    echo "systemctl: not played here: $*"
    exit 1
    ;;
esac
