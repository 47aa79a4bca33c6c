#!/usr/bin/env bash
# Brings the nats-servers of newer Debian releases, as FOLDER/SUITE/nats-server, and prints their versions. The tests join and
# compare them, because the installed nats-server is old. Nothing is installed: apt gets lists of its own, checks the packages
# against the signed index, and keeps the machine's lists as they are. A server that is there is kept; delete the folder to
# renew it.
#
#   eng/nats-servers.sh [FOLDER]     the default is artifacts/nats-servers, where the tests look for them
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=${1:-$PWD/artifacts/nats-servers}
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# Prints the addresses that apt takes Debian's packages from on this machine. Its arguments are options of apt.
addresses() {
    local release
    release=$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")
    # The words in capital letters are apt's.
    # shellcheck disable=SC2016
    apt-get "$@" indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' 'Component: main' |
        awk -v release="$release" '($1 == release || $1 ~ /^(oldstable|stable|testing|unstable|sid)$/) && !seen[$2]++ { print $2 }'
}

# The same. A new machine has no lists yet, and apt then names no address; they are brought into a folder of their own.
mirrors() {
    local found lists
    found=$(addresses)
    if [ -z "$found" ]; then
        lists=$(mktemp -d)
        mkdir -p "$lists/partial"
        apt-get -qq -o "Dir::State::lists=$lists" -o "APT::Sandbox::User=$(id -un)" update >&2 || true
        found=$(addresses -o "Dir::State::lists=$lists")
        rm -rf "$lists"
    fi
    echo "$found"
}

# Downloads the package of one release from one address and unpacks it.
unpack_from() {
    local mirror=$1 suite=$2 work=$3
    local options=(
        -qq -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work/cache"
        -o Acquire::Languages=none -o "APT::Sandbox::User=$(id -un)" -o Acquire::Retries=3
    )
    rm -rf "$work"/* && mkdir -p "$work/lists/partial" "$work/cache/archives/partial" || return 1
    echo "deb [signed-by=$keyring] $mirror $suite main" >"$work/sources.list"
    apt-get "${options[@]}" update && (cd "$work" && apt-get "${options[@]}" download nats-server) && dpkg-deb -x "$work"/nats-server_*.deb "$work/unpacked"
}

bring() {
    local suite=$1 mirror work program
    program=$folder/$suite/nats-server
    if [ ! -x "$program" ]; then
        work=$(mktemp -d)
        for mirror in $(mirrors); do
            unpack_from "$mirror" "$suite" "$work" && break
        done
        # Moved in one step: another run may bring the same server.
        if [ -e "$work"/unpacked/usr/sbin/nats-server ]; then
            mkdir -p "$folder/$suite"
            cp "$work"/unpacked/usr/sbin/nats-server "$program.$$" && mv "$program.$$" "$program"
        fi
        rm -rf "$work"
    fi
    [ -x "$program" ] || { echo "no nats-server of Debian $suite: apt's sources of this machine do not have it" >&2; return 1; }
    echo "Debian $suite: $("$program" --version)"
}

command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || { echo "nats-servers.sh needs apt-get and dpkg-deb" >&2; exit 1; }
[ -e "$keyring" ] || { echo "nats-servers.sh needs $keyring, of the package debian-archive-keyring" >&2; exit 1; }
status=0
for suite in trixie sid; do bring "$suite" || status=1; done
exit $status
