#!/usr/bin/env bash
# Builds everything that ships, under artifacts: the packages with their symbols, the command as one file for each system, and
# the systemd units.
#
#   eng/pack.sh [-v VERSION] [-p]
#
#   VERSION   the version of the packages; the default is that of Directory.Build.props
#   -p        builds the packages only
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1

version=()
packages_only=false
while getopts v:p option; do
    case $option in
    v) version=(-p:Version="$OPTARG") ;;
    p) packages_only=true ;;
    *) exit 2 ;;
    esac
done

rm -rf artifacts/packages
dotnet pack Broker.sln -c Release -v quiet --nologo -nodeReuse:false -p:ContinuousIntegrationBuild=true "${version[@]}" -o artifacts/packages

# The native compiler is a package, which may be missing. Only an error of the restore (NU…) falls back to the other kind of file.
has_native_compiler() {
    local log status=0
    log=$(dotnet restore src/Broker.Cli -r "$1" -v quiet --nologo -p:BrokerNative=true 2>&1) || status=$?
    if [ "$status" != 0 ] && ! grep -q 'error NU' <<<"$log"; then
        echo "$log" >&2
        exit "$status"
    fi
    return "$status"
}

# The command as one file: native code if the compilers are installed, otherwise with a runtime.
publish() {
    local system=$1 kind=BrokerSingleFile missing=
    if [ "$system" = linux-x64 ] && [ "$(uname -sm)" = "Linux x86_64" ]; then
        if ! command -v clang >/dev/null && ! command -v gcc >/dev/null; then
            missing="neither clang nor gcc"
        elif ! has_native_compiler "$system"; then
            missing="the package of the native compiler cannot be restored"
        fi
        if [ -z "$missing" ]; then
            kind=BrokerNative
        else
            echo "$missing: artifacts/$system/broker has a runtime in it and starts later" >&2
        fi
    fi
    rm -rf "artifacts/$system"
    dotnet publish src/Broker.Cli -c Release -r "$system" -v quiet --nologo -nodeReuse:false -p:ContinuousIntegrationBuild=true \
        "${version[@]}" -p:"$kind"=true -o "artifacts/$system"
}

if [ "$packages_only" = false ]; then
    for system in linux-x64 win-x64; do publish "$system"; done
    # The systemd units go beside the program, and the file for the container exists now.
    cp eng/systemd/broker.service eng/systemd/broker.socket eng/systemd/broker.sysusers artifacts/linux-x64
    sed -n 's/^COPY \([^ ]*\) .*/\1/p' eng/docker/Dockerfile | while read -r file; do
        [ -e "$file" ] || { echo "eng/docker/Dockerfile takes $file, which is not made" >&2; exit 1; }
    done
    # Only the single file ships.
    for system in linux-x64 win-x64; do
        [ -z "$(find "artifacts/$system" -name '*.pdb' -o -name '*.dll' -o -name '*.xml')" ] || { echo "artifacts/$system has more than the program" >&2; exit 1; }
    done
    artifacts/linux-x64/broker --version
    artifacts/linux-x64/broker serve -t
fi

find artifacts -type f \( -path 'artifacts/packages/*' -o -path 'artifacts/linux-x64/*' -o -path 'artifacts/win-x64/*' \) -printf '%p %kK\n' | sort
