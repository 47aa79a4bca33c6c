#!/usr/bin/env bash
# Runs all tests. Installs missing peers (Debian), builds once, and runs every test project; the client's and the ZeroMQ sockets'
# suites run a second time on the portable poller. Prints the seconds of each suite, and ends with one line "N passed, N failed,
# N skipped". Fails if a test fails or no test ran. With CI=true a missing peer is a failure, and the benchmarks run briefly as
# one more test. CONFIGURATION=Debug builds and tests Debug instead of Release.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

configuration=${CONFIGURATION:-Release}
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
. eng/suites.sh

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

missing_packages() {
    [ -x /usr/sbin/nats-server ] || command -v nats-server >/dev/null || echo nats-server
    /usr/bin/python3 -c 'import zmq' 2>/dev/null || echo python3-zmq
    command -v gcc >/dev/null || echo gcc libc6-dev
    [ -e /usr/include/zmq.h ] || echo libzmq5 libzmq3-dev
    [ -e /usr/include/nats/nats.h ] || echo libnats-dev
    command -v chromium >/dev/null || echo chromium
    command -v openssl >/dev/null || echo openssl
    command -v prometheus >/dev/null || echo prometheus
    command -v systemd-analyze >/dev/null || echo systemd
    command -v tmux >/dev/null || echo tmux
    [ -x /usr/sbin/ip ] || command -v ip >/dev/null || echo iproute2
    command -v go >/dev/null || echo golang-go
    [ -e /usr/share/gocode/src/github.com/nats-io/nats.go ] || echo golang-github-nats-io-go-nats-dev
    [ -e /usr/share/gocode/src/github.com/nats-io/jwt/v2 ] || echo golang-github-nats-io-jwt-dev
    # If only node or only npm is installed, install the missing one and keep the other.
    command -v node >/dev/null || echo nodejs
    command -v npm >/dev/null || echo npm
}

install_packages() {
    local packages
    packages=$(missing_packages | xargs)
    [ -n "$packages" ] || return 0
    if ! command -v apt-get >/dev/null || { [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; }; then
        echo "not installed: $packages (needs apt-get and root; the tests that need them will say so)"
        return 0
    fi
    echo "installing $packages"
    as_root apt-get update -qq || return 1
    # shellcheck disable=SC2086 # one word per package
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages >/dev/null || return 1
    # Debian starts these servers at installation, nats-server on the port of `broker serve`.
    local server
    for server in nats-server prometheus; do
        case " $packages " in *" $server "*)
            if [ -d /run/systemd/system ]; then as_root systemctl disable --now --quiet "$server" || true; fi ;;
        esac
    done
}

install_npm_packages() {
    local folder
    command -v npm >/dev/null || return 0
    for folder in tests/*/peers/node; do
        [ "$folder/node_modules/.package-lock.json" -nt "$folder/package-lock.json" ] && continue
        echo "installing npm packages for $folder"
        # The packages need no install scripts.
        (cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null) || return 1
        touch "$folder/node_modules/.package-lock.json"
    done
}

# Prints each skipped test of a result file, with its reason.
skipped_tests() {
    awk '/outcome="NotExecuted"/ { name = $0; sub(/.* testName="/, "", name); sub(/".*/, "", name); gsub(/&quot;/, "\"", name) }
         name != "" && /<Message>/ { reason = $0; gsub(/ *<\/?Message>/, "", reason); print "skipped " name ": " reason; name = "" }' "$1"
}

# Runs a step whose failure matters only in CI. `set -e` is off inside the step, so it must return its status.
or_go_on() {
    "$@" && return 0
    [ "${CI:-}" != true ] || { echo "failed: $*" >&2; exit 1; }
    echo "failed: $*; the tests that need it will say so"
}

or_go_on install_packages
or_go_on install_npm_packages
or_go_on eng/nats-servers.sh

echo "building"
# One compiler server for all projects: it keeps the analyzers loaded, which saves a third of the time. It is shut down afterwards.
dotnet build Broker.sln -c "$configuration" -v quiet --nologo -nodeReuse:false -p:UseSharedCompilation=true -consoleLoggerParameters:NoSummary
dotnet build-server shutdown --vbcscompiler >/dev/null 2>&1 || true

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

passed=0 failed=0 skipped=0
report_suite() {
    local name=${1##*/} status suite_passed=0 suite_failed=0 suite_skipped=0 trx="$1.trx"
    status=$(cat "$results/$name.status" 2>/dev/null || echo 1)
    if [ -e "$trx" ]; then
        suite_passed=$(counter "$trx" passed)
        # The runner has no counter for skipped tests; it counts them as not executed.
        suite_skipped=$(($(counter "$trx" total) - $(counter "$trx" executed)))
        suite_failed=$(($(counter "$trx" executed) - suite_passed))
    fi
    # A run that crashed or did not start is a failure, even without a failed test.
    if [ "$status" != 0 ] && [ "$suite_failed" = 0 ]; then suite_failed=1; fi
    if [ "$suite_failed" != 0 ]; then cat "$results/$name.log"; fi
    if [ "$suite_skipped" != 0 ]; then skipped_tests "$trx"; fi
    echo "$name: $suite_passed passed, $suite_failed failed, $suite_skipped skipped, in $(cat "$results/$name.seconds" 2>/dev/null || echo 0) s, $(awk '{ printf "%d", $1 + $2 }' "$results/$name.processor" 2>/dev/null || echo 0) s of a processor"

    passed=$((passed + suite_passed)) failed=$((failed + suite_failed)) skipped=$((skipped + suite_skipped))
}

run_suite Broker.Transport.Tests+quiet
report_suite "$results/Broker.Transport.Tests+quiet"

for name in $(side_by_side); do run_when_there_is_room "$name"; done
await_suites 0

# In CI the benchmarks count as one more test: all variants have the same result, and none exceeds its allocation budget. They
# run alone, because few iterations make a budget imprecise.
if [ "${CI:-}" = true ]; then
    benchmarks=$PWD/benchmarks/Broker.Benchmarks
    # Always optimised. Its artifacts go to the current folder.
    if (cd "$results" && dotnet run --project "$benchmarks" -c Release -- --quick --budgets) >"$results/benchmarks.log" 2>&1; then
        tail -n 1 "$results/benchmarks.log"
        passed=$((passed + 1))
    else
        cat "$results/benchmarks.log"
        failed=$((failed + 1))
    fi
fi

status=0
if [ "$failed" != 0 ]; then status=1; fi
if [ $((passed + failed)) = 0 ]; then echo "no test ran" && status=1; fi
echo "all in $SECONDS s"
echo "$passed passed, $failed failed, $skipped skipped"
exit $status
