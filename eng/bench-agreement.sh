#!/usr/bin/env bash
# Shows the medians of broker bench beside those of the load test, for the same traffic and the same broker. The two are
# measured in turn, so that a change of the machine's speed hits both. Needs a quiet machine, jq, and builds with -c Release.
#
#   eng/bench-agreement.sh [-n ROUNDS] [-t TIME]
#
#   ROUNDS   the default is 7
#   TIME     how long broker bench measures in each round; the default is 3s
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1

rounds=7
time=3s
while getopts n:t: option; do
    case $option in
    n) rounds=$OPTARG ;;
    t) time=$OPTARG ;;
    *) exit 2 ;;
    esac
done

broker=src/Broker.Cli/bin/Release/net10.0/broker
load=benchmarks/Broker.LoadTest/bin/Release/net10.0/Broker.LoadTest
for program in "$broker" "$load"; do
    [ -x "$program" ] || { echo "$program is missing: dotnet build -c Release" >&2; exit 1; }
done

work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT

# The address of a broker that runs until stop is called.
start() {
    rm -f "$work"/*.ports
    "$broker" serve -q -p -1 --ports_file_dir "$work" >"$work/server.log" 2>&1 &
    server=$!
    for _ in $(seq 300); do
        [ -s "$work/broker_$server.ports" ] && break
        sleep 0.1
    done
    url=$(jq -r '.nats[0]' "$work/broker_$server.ports")
}

stop() {
    kill "$server"
    wait "$server" || true
    server=
}

# ROW PATTERN COLUMN FLAG...: one round of broker bench. Appends messages a second.
bench() {
    local row=$1 pattern=$2 column=$3
    shift 3
    start
    "$broker" bench "$pattern" -s "$url" --time "$time" --json "$@" | jq -r ".$column" >>"$work/$row.bench"
    stop
}

# ROW: one round of the load test. Columns of its file: 1 row, 2 server, 7 messages a second.
load() {
    "$load" --rows "$1" --rounds 1 --csv "$work/load.csv" >"$work/load.log" 2>&1 || { cat "$work/load.log" >&2; exit 1; }
    awk -F, -v row="$1" '$1 == row && $2 == "broker" { print $7 }' "$work/load.csv" >>"$work/$1.load"
}

for round in $(seq "$rounds"); do
    echo "round $round of $rounds" >&2
    for row in pub16 twoconns16 fanout4 request16; do load "$row"; done
    bench pub16 pub published_per_second --size 16
    bench twoconns16 pubsub published_per_second --size 16
    bench fanout4 pubsub published_per_second --size 16 --subscribers 4
    bench request16 request replies_per_second --size 16
done

median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

printf '%-12s %15s %15s %8s\n' row 'broker bench/s' 'load test/s' ratio
for row in pub16 twoconns16 fanout4 request16; do
    printf '%-12s %15.0f %15.0f %8.2f\n' "$row" "$(median "$work/$row.bench")" "$(median "$work/$row.load")" \
        "$(awk -v a="$(median "$work/$row.bench")" -v b="$(median "$work/$row.load")" 'BEGIN { print a / b }')"
done
