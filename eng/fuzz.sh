#!/usr/bin/env bash
# Fuzzes the parsers with afl-fuzz and SharpFuzz, for a nightly run: eng/fuzz.sh [SECONDS [TARGET…]]
# Each target runs for SECONDS (600). Findings are in artifacts/fuzz/findings/TARGET/default/crashes, and a finding makes
# the command fail. To reproduce a finding, run the project benchmarks/Broker.Fuzz with the target and the file.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds=${1:-600}
shift || true
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
command -v afl-fuzz >/dev/null || { echo "afl-fuzz is missing: install the package afl++"; exit 2; }

folder=$PWD/artifacts/fuzz
rm -rf "$folder"
dotnet publish benchmarks/Broker.Fuzz -c Release -v quiet --nologo -o "$folder/program"
[ -x "$folder/../tools/sharpfuzz" ] || dotnet tool install SharpFuzz.CommandLine --version 2.3.0 --tool-path "$folder/../tools"
for assembly in Broker.Protocol Broker.ZeroMq; do
    "$folder/../tools/sharpfuzz" "$folder/program/$assembly.dll"
done

run() { dotnet "$folder/program/Broker.Fuzz.dll" "$@"; }
run seeds "$folder/seeds"
[ $# -gt 0 ] || mapfile -t targets < <(run names)
[ $# -eq 0 ] || targets=("$@")

# afl-fuzz does not know that the program is instrumented, and needs no core dumps.
export AFL_SKIP_BIN_CHECK=1 AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_UI=1
failed=0
for target in "${targets[@]}"; do
    afl-fuzz -i "$folder/seeds/$target" -o "$folder/findings/$target" -t 10000 -m none -V "$seconds" \
        dotnet "$folder/program/Broker.Fuzz.dll" "$target"
    crashes=$(find "$folder/findings/$target" -path '*/crashes/id*' | wc -l)
    echo "$target: $crashes findings"
    [ "$crashes" = 0 ] || failed=1
done
exit $failed
