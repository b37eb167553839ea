#!/bin/bash
# Checks the subjects of the commits after the last one that was made without this check:
# "scope: imperative", at most 72 characters. Merges are left out.
# Usage: commit_subjects.sh [<range>]
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

first=d4b5322
if ! git rev-parse -q --verify "$first^{commit}" >/dev/null 2>&1; then
    echo "skipped: this is no clone with its history"
    exit 77
fi
wrong=0 count=0
while IFS= read -r subject; do
    count=$((count + 1))
    if [ "${#subject}" -gt 72 ]; then
        echo "too long (${#subject} characters, 72 at most): $subject"
        wrong=$((wrong + 1))
    elif ! grep -qE '^[a-z][a-z0-9_., /-]*: [a-z].*[^.]$' <<<"$subject"; then
        echo "not 'scope: imperative', in lower case and without a full stop: $subject"
        wrong=$((wrong + 1))
    fi
done < <(git log --no-merges --format=%s "${1:-$first..HEAD}")
echo "$count subjects, $wrong wrong"
[ "$wrong" -eq 0 ]
