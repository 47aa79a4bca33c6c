#!/usr/bin/env bash
# Runs test suites again and again while every processor has something else to do: a test that passes only on a quiet machine
# fails here. Build first (eng/test.sh does).
#
#   eng/repeat.sh [-n TIMES] [-l LOAD] [SUITE ...]
#
#   SUITE   Broker.Server.Tests, …; all but Broker.Windows.Tests unless named
#   TIMES   10
#   LOAD    how many processors are kept busy beside the suite: all of them; 0 where the machine has enough to do
#
# What has passed on a commit is remembered under artifacts/repeat, so a run that was cut off goes on where it was.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

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
if [ ${#suites[@]} = 0 ]; then
    for project in tests/*.Tests/*.csproj; do
        case $project in */Broker.Windows.Tests.csproj) ;; *) suites+=("$(basename "$project" .csproj)") ;; esac
    done
fi

# A peer that is missing is a failure here too: a run without it says nothing.
export CI=true

configuration=${CONFIGURATION:-Release}
record=artifacts/repeat/$(git rev-parse --short HEAD)
mkdir -p "$record"
load=()
trap 'kill "${load[@]}" 2>/dev/null || true' EXIT
for ((i = 0; i < busy; i++)); do
    (while :; do :; done) &
    load+=($!)
done

failed=0
for suite in "${suites[@]}"; do
    for ((i = 1; i <= times; i++)); do
        [ -e "$record/$suite.$i.passed" ] && continue
        if dotnet test "tests/$suite" -c "$configuration" --no-build --nologo -v quiet \
            --blame-hang --blame-hang-timeout 10min --blame-hang-dump-type none --logger "console;verbosity=minimal" \
            --results-directory "$record/results" >"$record/$suite.$i.log" 2>&1; then
            mv "$record/$suite.$i.log" "$record/$suite.$i.passed"
        else
            failed=$((failed + 1))
            grep -E '^ *Failed ' "$record/$suite.$i.log" || tail -n 5 "$record/$suite.$i.log"
        fi
    done
    echo "$suite: $(find "$record" -name "$suite.*.passed" | wc -l) of $times passed"
done
[ "$failed" = 0 ]
