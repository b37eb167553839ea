#!/bin/bash
# Makes all files of a release of the last commit in FOLDER:
#     packaging/release.sh [--snapshot] [--twice] FOLDER
# the source, its Debian packages, tern as three files, a bill of materials, and SHA256SUMS. Refuses
# what is not committed, and a version that CHANGELOG.md does not name; --snapshot: a version with
# the day and the number of the commit instead. --twice: makes them again in another folder, and
# compares: all files must be equal.
set -euo pipefail
snapshot=false twice=false folder=""
for word in "$@"; do
    case $word in
    --snapshot) snapshot=true ;;
    --twice) twice=true ;;
    -*) echo "release: there is no option '$word'" >&2 && exit 2 ;;
    *) folder=$(realpath -m "$word") ;;
    esac
done
cd "$(dirname "$0")/.."

refuse() {
    echo "release: refused: $*" >&2
    exit 1
}
[ -n "$folder" ] || refuse "which folder is to have the files?"
if [ -n "$(ls -A "$folder" 2>/dev/null)" ] && [ ! -f "$folder/SHA256SUMS" ]; then
    refuse "$folder has files that are not of a release"
fi
[ -z "$(git status --porcelain)" ] || refuse "there are changes that are not committed"
version=$(sed -nE 's/^project\(tern VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
$snapshot || grep -qE "^## \[$version\] - [0-9]{4}-[0-9]{2}-[0-9]{2}$" CHANGELOG.md ||
    refuse "CHANGELOG.md has no '## [$version] - YYYY-MM-DD'"
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
# ccache would give objects with the paths of the folder in which they were compiled first.
export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8 TZ=UTC CCACHE_DISABLE=1
umask 022

# archive_folder <folder> <its name in the archive> <archive>
archive_folder() {
    tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
        --transform="s,^\.,$2," -cf - -C "$1" . | gzip -9n >"$3"
}

# make_all <folder> <folder for what lies between>
make_all() {
    local out=$1 work=$2 archive name
    rm -rf "$out" "$work"
    mkdir -p "$out" "$work"
    if $snapshot; then
        archive=$(packaging/archive.sh "$out")
    else
        archive=$(packaging/archive.sh "$out" "$version")
    fi
    name=$(basename "$archive" .tar.gz)
    packaging/sbom.py --version "${name#tern-}" --found >"$out/$name.spdx.json"
    tar -xzf "$archive" -C "$work"
    "$work/$name/packaging/amalgamate.sh" "$work/amalgamation"
    archive_folder "$work/amalgamation" "$name-amalgamation" "$out/$name-amalgamation.tar.gz"
    packaging/package.sh "$archive" "$work/packages"
    mv "$work"/packages/tern_*.{dsc,orig.tar.gz,debian.tar.xz} "$work"/packages/*.deb "$out"
    (cd "$out" && sha256sum -- * >"$work/sums" && mv "$work/sums" SHA256SUMS)
    rm -rf "$work"
}

make_all "$folder" "$folder.work"
if $twice; then
    elsewhere=$(mktemp -d)
    make_all "$folder.again" "$elsewhere/another/place"
    rm -rf "$elsewhere"
    diff --recursive --brief "$folder" "$folder.again" || refuse "two builds are not equal"
    rm -rf "$folder.again"
    echo "release: made twice, and $(wc -l <"$folder/SHA256SUMS") files are equal"
fi
cat "$folder/SHA256SUMS"
