#!/bin/bash
# Runs all commands of docs/use/host.md that stand in blocks marked "sh", in order and in one shell,
# as an operator would. Use a disposable machine (./dev fresh): it installs packages and starts
# services.
#     tests/host/guide.sh
# Replaces sudo where it is missing, and systemctl where systemd is not process 1.
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root" || exit 1
home=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; wait 2>/dev/null; rm -rf "$home"' EXIT
mkdir "$home/bin"
# Like sudo, it runs the command with a clean environment.
command -v sudo >/dev/null ||
    printf '#!/bin/bash\nexec env -i PATH="$PATH" HOME="$HOME" "$@"\n' >"$home/bin/sudo"
[ -d /run/systemd/system ] || cp tests/host/systemctl.sh "$home/bin/systemctl"
chmod -f +x "$home"/bin/*

commands=$(awk '/^```sh$/ {on = 1; next} /^```/ {on = 0} on' docs/use/host.md)
[ -n "$commands" ] || { echo "guide: docs/use/host.md has no commands"; exit 1; }
begun=$SECONDS
# Each command is printed; the first failure ends the run.
HOME=$home PATH=$home/bin:$PATH timeout 900 bash -euo pipefail -x -c "$commands" || {
    echo "guide: FAILED: a command of docs/use/host.md (the last one shown)"
    tail -n 20 "$home"/tern/*.log 2>/dev/null
    exit 1
}
echo "guide: all commands of docs/use/host.md did what they should ($((SECONDS - begun)) s)"
