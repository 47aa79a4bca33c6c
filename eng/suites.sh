# shellcheck shell=bash
# How the test projects are run, one or side by side: for eng/test.sh and eng/repeat.sh, which set configuration and results.

# The number of an attribute in the counters of a test result file.
counter() {
    sed -n "s/.*<Counters [^>]*\b$2=\"\([0-9]*\)\".*/\1/p" "$1" | head -n 1
}

# A suite has a network of its own where that is permitted: two run side by side, and a client of the one that looks for a server which has gone
# would find one of the other, on the port that the system has given away since. It has an address beside loopback's, as other machines have. What
# restores packages needs the real network.
alone_in_network() {
    case $1 in Broker.Packages.Tests) return 1 ;; esac
    [ "$(id -u)" = 0 ] && unshare -n true 2>/dev/null
}
with_network='PATH=$PATH:/usr/sbin && ip link set lo up && ip address add 100.64.0.1/32 dev lo && exec "$@"'

# One test project, in a process of its own, with what it printed, counted and took under $results. A test that hangs is named and ends its run instead of all others' time.
# NAME+portable is the project NAME on the portable poller, NAME+quiet what of it must run alone, which NAME leaves out, and NAME+contract its contract.
run_suite() {
    local name=$1 status=0 began=$SECONDS filter=() within=()
    local project=${name%+*}
    if alone_in_network "$project"; then within=(unshare -n -- sh -c "$with_network" sh); fi
    case $name in
    # It is started hundreds of times, and compiled fully at each first call, as suits one that runs for months: docs/decisions/004-compilation.md.
    Broker.Interop.Tests) local -x DOTNET_TC_QuickJit=1 ;;
    *+portable)
        local -x BROKER_PORTABLE_POLLER=true
        filter=(--filter "$not_portable")
        ;;
    *+quiet) filter=(--filter "$(any_of '~' '|' "${quiet[@]}")") ;;
    Broker.Transport.Tests) filter=(--filter "$(any_of '!~' '&' "${quiet[@]}")") ;;
    # One test at a time, each of which waits for others' programs: in two halves, beside each other.
    *+contract) filter=(--filter "FullyQualifiedName~.Contract.") ;;
    Broker.Bridge.Tests) filter=(--filter "FullyQualifiedName!~.Contract.") ;;
    esac
    local TIMEFORMAT="%U %S"
    { time "${within[@]}" dotnet test "tests/$project/bin/$configuration/net10.0/$project.dll" --nologo "${filter[@]}" \
        --blame-hang --blame-hang-timeout 5min --blame-hang-dump-type none \
        --logger "console;verbosity=minimal" --logger "trx;LogFileName=$name.trx" --results-directory "$results" \
        >"$results/$name.log" 2>&1; } 2>"$results/$name.processor" || status=$?
    echo "$((SECONDS - began))" >"$results/$name.seconds"
    echo "$status" >"$results/$name.status"
}

# A filter for tests by their classes: any_of ~ '|' for those of them, any_of '!~' '&' for all others.
any_of() {
    local matches=$1 joined=$2 filter= class
    shift 2
    for class; do filter+="${filter:+$joined}FullyQualifiedName$matches.$class."; done
    echo "$filter"
}

# The transport's tests that count who is served when, beside threads of their own that keep processors busy.
quiet=(PacingTests EventLoopTests FlushTests)

# What says nothing new on the portable poller: tests that take the poller as one of two, what has both already and takes long, and what
# measures: how many blocks are in use at once is another matter where the runtime waits.
not_portable="DisplayName!~portable:&$(any_of '!~' '&' StressTests ThroughputTests MemoryTests NoiseTests AllocationTests SocketAllocationTests \
    MatrixTests DocumentTests MovedProgramTests)"

# Side by side: they count and compare, and none of them measures time. Most wait longer than they compute, so that there are more than
# processors. The longest and those that wait most go first, so that none is left alone at the end.
lanes=${LANES:-$(($(nproc) * 2))}

# Every suite that may run beside others. A Windows by Wine is a command of its own, eng/test-windows.sh: its services miss their times where others
# keep the processors busy.
side_by_side() {
    local name listed=' Broker.Windows.Tests '
    for name in Broker.Server.Tests Broker.Interop.Tests Broker.Bridge.Tests Broker.Client.Tests Broker.Bridge.Tests+contract Broker.Transport.Tests \
        Broker.AspNetCore.Tests Broker.ZeroMq.Tests Broker.ZeroMq.Tests+portable Broker.Packages.Tests Broker.Cli.Tests Broker.Client.Tests+portable \
        $(for project in tests/*.Tests/*.csproj; do basename "$project" .csproj; done); do
        case $listed in *" $name "*) continue ;; esac
        listed+="$name "
        echo "$name"
    done
}

declare -A running=()
report_finished() {
    local pid
    for pid in "${!running[@]}"; do
        kill -0 "$pid" 2>/dev/null && continue
        wait "$pid" || true
        report_suite "${running[$pid]}"
        unset "running[$pid]"
    done
}

# Starts a suite as soon as there is room, and calls report_suite for each that has ended, with what all of its files are named by.
run_when_there_is_room() {
    await_suites "$((lanes - 1))"
    run_suite "$1" &
    running[$!]=$results/$1
}

# Waits until no more than so many run.
await_suites() {
    while [ "${#running[@]}" -gt "$1" ]; do
        wait -n || true
        report_finished
    done
}
