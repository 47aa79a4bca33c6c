#!/usr/bin/env bash
# Publishes the programs for the tests on Windows into a folder: the command, the sample of a service, a service with both
# lifetimes, and programs of NetMQ.
#
#   eng/publish-windows.sh FOLDER
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 MSBUILDDISABLENODEREUSE=1

folder=$1
publish() {
    local project=$1 name=$2
    shift 2
    # With its own intermediate files, so that a build or a test beside it is not disturbed. The build of the tests has
    # run the analyzers.
    dotnet publish "$project" -c Release -r win-x64 --self-contained -v quiet --nologo -nodeReuse:false \
        -p:RunAnalyzers=false --artifacts-path "$folder/artifacts" -o "$folder/$name" "$@"
}

# One file, as eng/pack.sh builds it.
publish src/Broker.Cli broker -p:BrokerSingleFile=true
publish samples/WindowsService sample
publish tests/Broker.Windows.Lifetimes lifetimes
publish tests/Broker.NetMqPeer netmq
rm -rf "$folder/artifacts"
