#!/usr/bin/env bash
# Runs the commands of README.md from top to bottom on a clean clone of the committed state, and prints the time of each step.
# Then it runs README's program in a new project, from the packages. The ports of the README must be free.
#   -t   also runs README's second command: all tests
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
with_tests=false
while getopts t option; do
    case $option in
    t) with_tests=true ;;
    *) exit 2 ;;
    esac
done

work=$(mktemp -d)
began=$SECONDS
pids=()
finish() {
    local pid
    # Each command is a process group of its own, so that its children end with it.
    for pid in "${pids[@]}"; do kill -- "-$pid" 2>/dev/null || true; done
    rm -rf "$work"
}
trap finish EXIT
set -m
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1

step() { printf '%2d:%02d  %s\n' $(((SECONDS - began) / 60)) $(((SECONDS - began) % 60)) "$1"; }
fail() {
    echo "failed: $1" >&2
    tail -n 20 "$work"/*.log >&2
    exit 1
}

# page: block N of a language in a page. block: the same of the README. line: line L of such a block.
page() { awk -v language="$2" -v wanted="$3" '$0 == "```" language { inside = ++n == wanted; next } /^```$/ { inside = 0 } inside' "$1"; }
block() { page README.md "$@"; }
line() { block sh "$1" | sed -n "$2p"; }

# Runs a command in the background, like a terminal of its own, and keeps its output.
terminal() {
    bash -c "$2" >"$work/$1.log" 2>&1 </dev/null &
    pids+=($!)
}

# Waits until a terminal shows the text, and fails after a time limit.
read_on() {
    local left
    for ((left = ${3:-60}; left > 0; left--)); do
        if grep -qF -- "$2" "$work/$1.log" 2>/dev/null; then return 0; fi
        sleep 1
    done
    fail "'$2' did not appear in the terminal '$1'"
}

git clone -q . "$work/clone"
cd "$work/clone"
step "cloned"

terminal broker "$(block sh 1)"
read_on broker 5557 600
step "the first command has built the broker and its bridge listens"

if [ "$with_tests" = true ]; then
    bash -c "$(block sh 2)" >"$work/tests.log" 2>&1 || fail "$(block sh 2)"
    step "the second command has passed all tests: $(tail -n 1 "$work/tests.log")"
fi

eval "$(block sh 3)"
terminal sub "$(line 4 1)"
terminal zmq-sub "$(line 4 2)"
sleep 3 # as long as it takes to go on to the next terminal
terminal zmq-pub "$(line 4 3)"
read_on sub "4 degrees"
read_on zmq-sub "4 degrees"
terminal pub "$(line 4 4)"
read_on sub rain
read_on zmq-sub rain
step "a message has come to both sides from either"

# Debian's Python has Debian's python3-zmq; another Python may come first in PATH.
PATH=/usr/bin:$PATH
terminal python-sub "$(line 5 1)"
sleep 3
terminal python-pub "$(line 5 2)"
read_on python-sub "4 degrees"
step "Python's programs have met"

# A package cache of its own, because the next run packs the same version again.
machine=${NUGET_PACKAGES:-$HOME/.nuget/packages}
export NUGET_PACKAGES=$work/restored NUGET_FALLBACK_PACKAGES=$machine
page docs/packages.md sh 1 >"$work/own.sh"
page README.md csharp 1 >"$work/Program.cs"
bash -euo pipefail "$work/own.sh" >"$work/own.log" 2>&1 || fail "a project of one's own"
step "a project of one's own has the packages"

cd "$work/Own"
cp "$work/Program.cs" .
sed -i 's/Listen(4222)/Listen(0)/' Program.cs # the broker of the first command has the port
dotnet run >"$work/run.log" 2>&1 || fail "the program"
[ "$(tail -n 1 "$work/run.log")" = 9 ] || fail "the program has not printed the length of its message"
step "a program of one's own runs, from the packages"
echo "in $(((SECONDS - began) / 60)) minutes and $(((SECONDS - began) % 60)) seconds"
