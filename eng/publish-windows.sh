#!/usr/bin/env bash
# The programs that the tests run on Windows: the command and the sample of a service, published into a folder.
#
#   eng/publish-windows.sh FOLDER
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 MSBUILDDISABLENODEREUSE=1

folder=$1
publish() {
    # With intermediate files of its own: what is built and run beside it is not touched.
    dotnet publish "$1" -c Release -r win-x64 --self-contained -v quiet --nologo -nodeReuse:false \
        --artifacts-path "$folder/artifacts" -o "$folder/$2"
}

publish src/Broker.Cli broker
publish samples/WindowsService sample
rm -rf "$folder/artifacts"
