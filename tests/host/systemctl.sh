#!/bin/bash
# Stands in for systemctl in tests/host/guide.sh where systemd is not process 1. It starts and stops
# the command of a unit in the background, with its runtime directory and environment, but applies
# none of its hardening.
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
    rm -f "/run/$unit.out"
    # shellcheck disable=SC2046,SC2086 # The words of the unit.
    RUNTIME_DIRECTORY=/run/$directory setsid env $(value Environment) $(value ExecStart) \
        >"/run/$unit.out" 2>&1 </dev/null &
    echo $! >"$pid_file"
    # Like systemd, wait until the service is ready.
    for _ in $(seq 100); do
        grep -qs 'tern-host ready' "/run/$unit.out" && return
        kill -0 $! 2>/dev/null || break
        sleep 0.1
    done
    cat "/run/$unit.out"
    return 1
}

# signal <name> <command>: fails like systemd if the unit is not running.
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
