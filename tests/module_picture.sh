#!/bin/bash
# Draws the modules and which of them includes which, from the #include lines of the source, as an
# SVG. An arrow that follows from others is left out; arrows to base and to the public headers, too.
# Usage: module_picture.sh > docs/modules.svg, or module_picture.sh --check
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

# From top to bottom, each row from left to right; "-" is an empty place.
rows=("host programs -" "scripts sim discovery" "lua_bindings session -"
    "rpc migration -" "- replication transport" "base - include")
declare -A what=(
    [programs]="tern-demo, tern-sim, ..." [host]="dedicated server" [scripts]="games in Lua"
    [sim]="simulator, oracles, explorer" [lua_bindings]="Lua module"
    [discovery]="sessions on the LAN" [session]="implements tern.h" [rpc]="calls and replies"
    [migration]="ownership, membership" [transport]="packets, acks, encryption"
    [replication]="fields, updates, snapshots" [base]="bits, arrays, hash"
    [include]="public headers")

# "from to" for each pair of modules of which one includes a file of the other.
edges() {
    local from
    # shellcheck disable=SC2068 # The rows are words.
    for from in ${rows[@]}; do
        [ "$from" != - ] || continue
        # rpc/call_* act on a whole session; rpc below them does not know it.
        grep -rhoE '^#include "[a-z_]+/' --include='*.h' --include='*.hpp' --include='*.cpp' \
            --exclude='call_*' "$from" |
            sed 's/.*"//; s,/$,,' | sort -u | while read -r to; do
            [ "$to" != "$from" ] && [ "$to" != base ] && [ -n "${what[$to]:-}" ] && echo "$from $to"
        done
    done
}

# Without those that others imply.
reduced() {
    awk '{ edge[$1, $2] = 1; from[NR] = $1; to[NR] = $2; node[$1]; node[$2] }
        END {
            for (k in node) for (i in node) for (j in node)
                if (((i, k) in reach || (i, k) in edge) && ((k, j) in reach || (k, j) in edge))
                    reach[i, j] = 1
            for (n = 1; n <= NR; n++) {
                implied = 0
                for (k in node)
                    if (k != to[n] && (from[n], k) in edge &&
                        ((k, to[n]) in edge || (k, to[n]) in reach))
                        implied = 1
                if (!implied) print from[n], to[n]
            }
        }'
}

# The core is blue.
fill_of() {
    case $1 in
    base | include | transport | replication | migration | rpc | session | discovery)
        echo '#e3eefc'
        ;;
    *) echo '#f3f3f3' ;;
    esac
}

draw() {
    local width=230 height=50 gap_x=30 gap_y=34 total=780 row name x y
    declare -A at_x at_y
    y=20
    for row in "${rows[@]}"; do
        # shellcheck disable=SC2086 # A row is words.
        set -- $row
        x=$(((total - $# * width - ($# - 1) * gap_x) / 2))
        for name in "$@"; do
            at_x[$name]=$x
            at_y[$name]=$y
            x=$((x + width + gap_x))
        done
        y=$((y + height + gap_y))
    done
    cat <<SVG
<svg xmlns="http://www.w3.org/2000/svg" width="$total" height="$y"
     font-family="sans-serif" text-anchor="middle">
<defs><marker id="tip" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">
<path d="M0 0 8 4 0 8z"/></marker></defs>
<rect width="100%" height="100%" fill="#fff"/>
SVG
    edges | reduced | while read -r from to; do
        printf '<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="#333" marker-end="url(#tip)"/>\n' \
            $((at_x[$from] + width / 2)) $((at_y[$from] + height)) \
            $((at_x[$to] + width / 2)) "$((at_y[$to]))"
    done
    for row in "${rows[@]}"; do
        for name in $row; do
            [ "$name" != - ] || continue
            printf '<rect x="%d" y="%d" width="%d" height="%d" rx="6" fill="%s" stroke="#333"/>\n' \
                "${at_x[$name]}" "${at_y[$name]}" "$width" "$height" \
                "$(fill_of "$name")"
            printf '<text x="%d" y="%d" font-weight="bold" font-size="15">%s</text>\n' \
                $((at_x[$name] + width / 2)) $((at_y[$name] + 21)) "${name/include/include\/tern}"
            printf '<text x="%d" y="%d" font-size="12">%s</text>\n' \
                $((at_x[$name] + width / 2)) $((at_y[$name] + 39)) "${what[$name]}"
        done
    done
    echo '</svg>'
}

if [ "${1:-}" = --check ]; then
    if ! draw | cmp - docs/modules.svg; then
        echo "docs/modules.svg is not current: tests/module_picture.sh > docs/modules.svg"
        exit 1
    fi
else
    draw
fi
