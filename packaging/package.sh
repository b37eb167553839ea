#!/bin/bash
# Makes Debian's source package and its packages of an archive of packaging/archive.sh.
#     packaging/package.sh ARCHIVE FOLDER
# They lie in FOLDER then. Without ccache the same archive gives the same bytes in any folder, on
# machines with the same compiler and libraries. Debian's variables are honoured, such as
# DEB_BUILD_OPTIONS=nocheck.
set -euo pipefail
archive=$(realpath "${1:?which archive?}") folder=$(realpath -m "${2:?which folder?}")
name=$(basename "$archive" .tar.gz) # tern-VERSION
version=${name#tern-}

umask 022
mkdir -p "$folder"
rm -rf "${folder:?}/source"
cp "$archive" "$folder/tern_$version.orig.tar.gz"
cd "$folder"
tar -xzf "tern_$version.orig.tar.gz"
mv "$name" source # For each version the same: then ccache finds what it has (ci/package.sh).
cd source
cp -r packaging/debian debian # Debian wants it at the top.
SOURCE_DATE_EPOCH=$(stat --format %Y LICENSE) # All files have the time of the commit.
export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8 TZ=UTC
# Debian's own package of this version would have the revision 1 and replace this one.
suite=unstable
[[ $version == *~* ]] && suite=UNRELEASED
{
    printf 'tern (%s-0tern1) %s; urgency=medium\n\n' "$version" "$suite"
    printf '  * A release of the authors; the changelog in libtern-dev says what is new.\n\n'
    printf ' -- %s  %s\n' "$(sed -n 's/^Maintainer: //p' debian/control)" \
        "$(date -u -R -d "@$SOURCE_DATE_EPOCH")"
} >debian/changelog
find debian -exec touch --no-dereference --date "@$SOURCE_DATE_EPOCH" '{}' +

dpkg-buildpackage --no-sign >../package.log 2>&1 || {
    tail -n 40 ../package.log
    echo "package: FAILED: $folder/package.log has it all" >&2
    exit 1
}
cd ..
rm -rf source
