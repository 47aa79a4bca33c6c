#!/usr/bin/env bash
# Renews the record of the public API: src/PROJECT/PublicAPI.Unshipped.txt has what was added since the last release, and
# what was removed. Look at the difference before you commit it.
#
#   eng/api.sh [PROJECT …]    renews the record of these projects, such as Broker.Client; of all without an argument
#   eng/api.sh --ship         for a release: moves the record to PublicAPI.Shipped.txt
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 MSBUILDDISABLENODEREUSE=1 LC_ALL=C

header='#nullable enable'
projects() { find src -name PublicAPI.Unshipped.txt -not -path '*/obj/*' -printf '%h\n' | xargs -n 1 basename | sort; }

if [ "${1:-}" = --ship ]; then
    for project in $(projects); do
        shipped=src/$project/PublicAPI.Shipped.txt
        unshipped=src/$project/PublicAPI.Unshipped.txt
        # The lines of the last release that were not removed, and the new lines.
        lines=$(grep -vxF -e "$header" "$shipped" | grep -vxF -f <(sed -n 's/^\*REMOVED\*//p' "$unshipped") || true
            grep -vxF -e "$header" "$unshipped" | grep -v '^\*REMOVED\*' || true)
        { echo "$header"; sort -u <<<"$lines" | sed '/^$/d'; } >"$shipped.new"
        mv "$shipped.new" "$shipped"
        echo "$header" >"$unshipped"
    done
    exit 0
fi

if [ $# -gt 0 ]; then
    renewed=("$@")
    builds=("${@/#/src/}")
else
    mapfile -t renewed < <(projects)
    builds=(eng/packages.slnf)
fi

for project in "${renewed[@]}"; do
    echo "$header" >"src/$project/PublicAPI.Unshipped.txt"
done

# Only the analyzer of the public API needs to run. Each difference from the record is a warning that has the line to add.
output=$(for build in "${builds[@]}"; do
    dotnet build "$build" -c Release --nologo -v quiet -nodeReuse:false -p:RunAnalyzers=true -p:EnableNETAnalyzers=false \
        -p:EnforceCodeStyleInBuild=false -p:TreatWarningsAsErrors=false -consoleLoggerParameters:NoSummary
done) || { echo "$output"; exit 1; }

for project in "${renewed[@]}"; do
    unshipped=src/$project/PublicAPI.Unshipped.txt
    sed -nE "/$project\.csproj\]/{s/.* warning RS0016: Symbol '(.*)' is not part of the declared public API.*/\1/p
        s/.* warning RS0017: Symbol '(.*)' is part of the declared API, but .*/*REMOVED*\1/p}" <<<"$output" | sort -u >>"$unshipped"
    echo "$project: $(($(wc -l <"$unshipped") - 1)) lines"
done
