#!/usr/bin/env bash
# Renews docs/images/live*.png: pictures of the live page of a broker with real programs, made by Chromium in about two
# minutes. Look at them before you commit them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 MSBUILDDISABLENODEREUSE=1 LC_ALL=C

dotnet build tests/Broker.Cli.Tests -c Release -v quiet --nologo
BROKER_PICTURES=$PWD/docs/images dotnet tests/Broker.Cli.Tests/bin/Release/net10.0/Broker.Cli.Tests.dll -explicit only -class '*PictureTests'
