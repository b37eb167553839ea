#!/bin/bash
# ./dev package: Debian's packages of the last commit, checked. ./dev reads this file.
# shellcheck disable=SC2154 # It has set root and the lists of tools.

package_folder=build-package
package_tools=(build-essential:/usr/share/build-essential/list:build-essential
    debhelper:dh:debhelper help2man:help2man:help2man lintian:lintian:lintian)

package_help() {
    cat <<'TEXT'
Usage: ./dev package [--install]

Makes Debian's packages of the last commit in build-package/, checks them by lintian, unpacks them
into a folder, and builds and plays games against what is there. --install: makes them without
optimisation, installs them, plays, and removes them again; for a machine that is thrown away.
TEXT
}

# Prints the archive of the source. Where git is missing, ./dev fresh has laid it there.
package_source() {
    if command -v git >/dev/null; then
        rm -rf "$package_folder" && packaging/archive.sh "$package_folder"
    else
        compgen -G "$package_folder/tern-*.tar.gz"
    fi
}

# The packages as they are on the machine of a player: by Debian's own tool.
package_installed() {
    local names
    mapfile -t names < <(sed -n 's/^Package: //p' packaging/debian/control)
    dpkg --install "$package_folder"/*.deb >&2 || return 1
    packaging/debian/tests/two-peers && packaging/debian/tests/lua-modules && man_pages /usr ||
        return 1
    dpkg --purge "${names[@]}" >&2 || return 1
    if compgen -G '/usr/bin/tern-*' || [ -e /etc/tern ] || [ -e /usr/include/tern ]; then
        say "package: the files above are still there without the packages"
        return 1
    fi
}

# package_unpacked <folder>: the same without changing this machine.
package_unpacked() {
    local deb
    for deb in "$package_folder"/*.deb; do
        dpkg-deb --extract "$deb" "$1" || return 1
    done
    packaging/debian/tests/two-peers "$PWD/$1" && man_pages "$1/usr"
}

# man_pages <folder>: each program has its page, and tern-host its unit.
man_pages() {
    local program
    [ -s "$1/lib/systemd/system/tern-host.service" ] ||
        [ -s "$1/../lib/systemd/system/tern-host.service" ] || {
        say "package: there is no unit tern-host"
        return 1
    }
    for program in "$1"/bin/tern-*; do
        [ -s "$1/share/man/man1/$(basename "$program").1.gz" ] || {
            say "package: $program has no manual page"
            return 1
        }
    done
}

package() {
    local way=(package_unpacked "$package_folder/unpacked") archive start=$SECONDS
    case ${1:-} in
    --install)
        way=(package_installed)
        local -x DEB_BUILD_OPTIONS="noopt noautodbgsym ${DEB_BUILD_OPTIONS:-}"
        package_tools+=("Lua 5.4:lua5.4:lua5.4" LuaJIT:luajit:luajit)
        ;;
    --help) package_help && return ;;
    "") ;;
    *) fail "package: there is no option '$1'; see ./dev package --help" ;;
    esac
    is_debian || fail "package: needs Debian or Ubuntu"
    need "${tools_build[@]}" "${package_tools[@]}"
    # debhelper changes HOME, in which ccache would look for its folder. packaging/release.sh does
    # without: what ccache finds has other paths in its debug information.
    if [ -n "$(launcher)" ] && [ -d /usr/lib/ccache ]; then
        local -x PATH=/usr/lib/ccache:$PATH CCACHE_DIR
        CCACHE_DIR=$(ccache --get-config cache_dir)
    fi
    archive=$(package_source) || fail "package: no source"
    say "package: building, for some minutes; what it prints is in $package_folder/package.log"
    packaging/package.sh "$archive" "$package_folder" >&2 || fail "package: FAILED"
    say "package: built ($((SECONDS - start)) s)"
    lintian --fail-on error,warning --tag-display-limit 0 "$package_folder"/*.changes >&2 ||
        fail "package: lintian FAILED"
    "${way[@]}" >&2 || fail "package: FAILED"
    ls "$PWD/$package_folder"/*.deb
    say "package: passed ($((SECONDS - start)) s)"
}
