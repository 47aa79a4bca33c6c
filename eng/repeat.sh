#!/usr/bin/env bash
# Runs test suites again and again while every processor has something else to do: a test that passes only on a quiet machine
# fails here. Build first (eng/test.sh does).
#
#   eng/repeat.sh [-n TIMES] [-l LOAD] [SUITE ...]
#
#   SUITE   Broker.Server.Tests, Broker.ZeroMq.Tests+portable, …; all that eng/test.sh runs unless named
#   TIMES   10
#   LOAD    how many processes keep processors busy beside the suites, and give way where these want them: one for each
#
# Suites run side by side as in eng/test.sh, each a load for the others; LANES=1 runs one at a time. What has passed on a commit is
# remembered under artifacts/repeat, so a run that was cut off goes on where it was.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
. eng/suites.sh

times=10
busy=$(nproc)
while getopts n:l: option; do
    case $option in
    n) times=$OPTARG ;;
    l) busy=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
suites=("$@")
if [ ${#suites[@]} = 0 ]; then mapfile -t suites < <(echo Broker.Transport.Tests+quiet; side_by_side); fi

# A peer that is missing is a failure here too: a run without it says nothing.
export CI=true

configuration=${CONFIGURATION:-Release}
record=$PWD/artifacts/repeat/$(git rev-parse --short HEAD)
mkdir -p "$record"
load=()
trap 'kill "${load[@]}" 2>/dev/null || true' EXIT
for ((i = 0; i < busy; i++)); do
    (exec nice -n 19 bash -c 'while :; do :; done') &
    load+=($!)
done

failed=0
report_suite() {
    local at=$1 run=${1#"$record"/}
    if [ "$(cat "$at.status")" = 0 ] && [ "$(counter "$at.trx" passed)" -gt 0 ]; then
        mv "$at.log" "$at.passed"
        echo "$run: $(counter "$at.trx" passed) passed in $(cat "$at.seconds") s"
    else
        failed=$((failed + 1))
        grep -E '^ *Failed ' "$at.log" || tail -n 5 "$at.log"
        echo "$run: failed, see $at.log"
    fi
}

for ((round = 1; round <= times; round++)); do
    results=$record/$round
    mkdir -p "$results"
    for suite in "${suites[@]}"; do
        [ -e "$results/$suite.passed" ] || run_when_there_is_room "$suite"
    done
done
await_suites 0

for suite in "${suites[@]}"; do
    echo "$suite: $(find "$record" -name "$suite.passed" | wc -l) of $times passed"
done
[ "$failed" = 0 ]
