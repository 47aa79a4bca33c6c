#!/usr/bin/env bash
# Runs the tests that need Windows, on Debian with Wine. Installs Wine if it is missing, builds, publishes the programs for
# Windows, and runs Broker.Windows.Tests. Separate from eng/test.sh, because it needs the machine for itself.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1

if [ ! -x /usr/lib/wine/wine64 ]; then
    as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends wine64 >/dev/null
fi

programs=$(mktemp -d)
trap 'rm -rf "$programs"' EXIT
dotnet build tests/Broker.Windows.Tests -c Release -v quiet --nologo -nodeReuse:false -consoleLoggerParameters:NoSummary
eng/publish-windows.sh "$programs"
# Prints the reason of a failure, and not only the test's name.
CI=true BROKER_WINDOWS_PROGRAMS="$programs" BROKER_SERVICE_CYCLES="${BROKER_SERVICE_CYCLES:-20}" dotnet test tests/Broker.Windows.Tests -c Release --no-build --nologo -v quiet \
    --blame-hang --blame-hang-timeout 10min --blame-hang-dump-type none \
    --logger "console;verbosity=minimal" "$@"
