#!/bin/bash
# The moving picture of the README must be as the example draws it now.
# Usage: film.sh <path of example_film>
set -euo pipefail
cd "$(dirname "$0")/.."
if ! "$1" | cmp - docs/film.svg; then
    echo "docs/film.svg is not current: build/example_film > docs/film.svg"
    exit 1
fi
