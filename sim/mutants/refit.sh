#!/bin/bash
# Renews the patch of a file of the core that has changed: sim/mutants/refit.sh migration/grants.cpp
# Where that needs a decision it leaves a copy with conflicts; edit it, then call this script again
# with that copy: refit.sh migration/grants.cpp build/refit/migration/grants.cpp
set -euo pipefail
cd "$(dirname "$0")/../.."

source=${1:?which file of the core?}
patch=sim/mutants/${source%.cpp}.patch
copy=${2:-build/refit/$source}
if [ $# -lt 2 ]; then
    mkdir -p "$(dirname "$copy")"
    if ! patch --quiet --fuzz=2 --merge --output="$copy" "$source" "$patch"; then
        echo "$copy has conflicts: edit it, then call $0 $source $copy"
        exit 1
    fi
fi
mkdir -p "$(dirname "$patch")"
diff -U1 --label "a/$source" --label "b/$source" "$source" "$copy" >"$patch" || true
rm "$copy"
echo "$patch is renewed"
