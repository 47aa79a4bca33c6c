#!/usr/bin/env bash
# Repeats test suites while other processes keep every processor busy. A test that passes only on a quiet machine fails here.
# Build first (eng/test.sh does).
#
#   eng/repeat.sh [-n TIMES] [-l LOAD] [SUITE ...]
#
#   SUITE   Broker.Server.Tests, Broker.ZeroMq.Tests+portable, …; the default is every suite of eng/test.sh
#   TIMES   the default is 10
#   LOAD    the number of processes that keep processors busy at low priority; the default is one for each processor
#
# Suites run side by side as in eng/test.sh; LANES=1 runs one at a time. Results for a commit are stored under
# artifacts/repeat, so an interrupted run continues where it stopped.
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

# A missing peer is a failure here too, because its tests would not run.
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
