#!/bin/bash
# Writes the source of the last commit as FOLDER/tern-VERSION.tar.gz and prints that name. The same
# commit gives the same bytes, wherever and whenever.
#     packaging/archive.sh FOLDER [VERSION]
# The version is that of CMakeLists.txt with the day and the number of the commit, which sorts
# before the release; packaging/release.sh gives its own.
set -euo pipefail
folder=$(realpath -m "${1:?which folder is to have the archive?}")
cd "$(dirname "$0")/.."
version=${2:-}
if [ -z "$version" ]; then
    release=$(sed -nE 's/^project\(tern VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
    version=$release~git$(TZ=UTC git log -1 --date=format-local:%Y%m%d --format=%cd)
    version=$version.$(git rev-parse HEAD | cut -c 1-8)
fi
mkdir -p "$folder"
# git sorts the files, gives each the time of the commit, and no owner.
git -c tar.umask=0022 archive --format=tar --prefix="tern-$version/" HEAD |
    gzip -9n >"$folder/tern-$version.tar.gz.part"
mv "$folder/tern-$version.tar.gz.part" "$folder/tern-$version.tar.gz"
echo "$folder/tern-$version.tar.gz"
