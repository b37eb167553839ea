#!/bin/bash
# ./dev fresh: a clone in a Debian 12 with nothing in it. ./dev reads this file.
# shellcheck disable=SC2154 # It has set root and package_folder.

debian_mirror() {
    local found
    found=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
        grep -E '^(deb|URIs:)' | grep -oE 'https?://[^ ]+/debian/?( |$)' | head -n 1)
    printf '%s\n' "${TERN_DEBIAN_MIRROR:-${found:-http://deb.debian.org/debian}}" | tr -d ' '
}

why_no_fresh() {
    if [ "$(id -u)" -ne 0 ]; then
        echo "needs root"
    elif ! command -v debootstrap >/dev/null; then
        echo "needs debootstrap"
    elif ! command -v git >/dev/null; then
        echo "needs git"
    elif ! unshare --mount --pid --fork --propagation private true 2>/dev/null; then
        echo "may not make a mount namespace here"
    fi
}

# Runs in a mount namespace of its own, so that nothing stays mounted, whatever happens.
inside_fresh() {
    local top=$1 archives=$2 name keep=() store
    mount -t proc proc "$top/proc" && mount -t tmpfs tmpfs "$top/dev/shm" || return 1
    mount -t sysfs -o ro sysfs "$top/sys" || true
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$top/dev/pts" || true
    mount --bind "$archives" "$top/var/cache/apt/archives" || return 1
    store=$(ccache --get-config cache_dir 2>/dev/null) &&
        mkdir -p "$store" "$top/var/cache/ccache" &&
        mount --bind "$store" "$top/var/cache/ccache" && keep+=(CCACHE_DIR=/var/cache/ccache)
    for name in http_proxy https_proxy no_proxy TERN_COMMIT_SEED TERN_STRICT; do
        [ -n "${!name:-}" ] && keep+=("$name=${!name}")
    done
    # shellcheck disable=SC2016 # The shell in there expands it.
    chroot "$top" env -i HOME=/tmp LANG=C.UTF-8 TERM="${TERM:-dumb}" "${keep[@]}" \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        bash -c '
            cd "$1" || exit
            if [ -n "${CCACHE_DIR:-}" ]; then # Not needed, but what this machine compiled is there.
                (apt-get -q update && apt-get -q -y install --no-install-recommends ccache) >&2
            fi
            ./dev test && ./dev demo && ./dev package --install &&
                tests/host/guide.sh' in_chroot "$root"
}

# base_folder, and make_base: a minimal Debian 12 that each run copies; kept for the next one.
base_folder() {
    echo "${XDG_CACHE_HOME:-${HOME:-/var}/.cache}/tern-fresh/bookworm"
}

make_base() {
    local base
    base=$(base_folder)
    [ ! -d "$base" ] || return 0
    say "fresh: making a minimal Debian 12 from $(debian_mirror)"
    rm -rf "$base.part"
    mkdir -p "$(dirname "$base")"
    debootstrap --variant=minbase bookworm "$base.part" "$(debian_mirror)" >&2 &&
        mv "$base.part" "$base"
}

fresh() {
    local reason cache base status
    reason=$(why_no_fresh)
    if [ -n "$reason" ]; then
        say "fresh: skipped: $reason"
        [ "${1:-}" != --require ]
        return
    fi
    base=$(base_folder)
    cache=$(dirname "$base")
    make_base && mkdir -p "$cache/archives/partial" || return 1
    # The tree may be another user's.
    printf '[safe]\n\tdirectory = *\n' >"$cache/gitconfig"
    local -x GIT_CONFIG_GLOBAL=$cache/gitconfig
    [ -z "$(git status --porcelain)" ] || say "fresh: what is not committed is not in the clone"
    top=$(mktemp -d "$cache/run.XXXXXX")
    trap 'kill -KILL ${child:-} 2>/dev/null; wait; rm -rf --one-file-system "$top"' EXIT
    trap 'exit 1' INT TERM
    cp -a "$base/." "$top" && cp -L /etc/resolv.conf "$top/etc/resolv.conf" &&
        apt-config dump | grep -E '^Acquire::(http|https|Retries|Check)' \
            >"$top/etc/apt/apt.conf.d/90host"
    # Packages are not written to the disk one by one, nor is what they are in other languages.
    echo force-unsafe-io >"$top/etc/dpkg/dpkg.cfg.d/fast"
    echo 'Acquire::Languages "none";' >>"$top/etc/apt/apt.conf.d/90host"
    # At the same path as here: then all that is compiled is the same.
    git clone -q "file://$root" "$top$root" &&
        "$top$root/packaging/archive.sh" "$top$root/$package_folder" >/dev/null || return 1
    unshare --mount --pid --fork --kill-child --propagation private \
        "$root/dev" inside_fresh "$top" "$cache/archives" &
    child=$! # In the background, so that a signal to this script ends it at once.
    wait "$child"
    status=$?
    child=
    rm -rf --one-file-system "$top"
    if [ "$status" -ne 0 ]; then
        say "fresh: FAILED"
        return 1
    fi
    say "fresh: passed"
}
