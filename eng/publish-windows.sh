#!/usr/bin/env bash
# The programs that the tests run on Windows: the command and the sample of a service, published into a folder.
#
#   eng/publish-windows.sh FOLDER
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 MSBUILDDISABLENODEREUSE=1

folder=$1
publish() {
    local project=$1 name=$2
    shift 2
    # With intermediate files of its own: what is built and run beside it is not touched.
    dotnet publish "$project" -c Release -r win-x64 --self-contained -v quiet --nologo -nodeReuse:false \
        --artifacts-path "$folder/artifacts" -o "$folder/$name" "$@"
}

# One file, as eng/pack.sh ships it.
publish src/Broker.Cli broker -p:BrokerSingleFile=true
publish samples/WindowsService sample
rm -rf "$folder/artifacts"
