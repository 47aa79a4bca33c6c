# shellcheck shell=bash
# Runs test projects, one or side by side, for eng/test.sh and eng/repeat.sh. They set the variables configuration and results.

# Assertions of Broker.Testing wait for 2 s by default, which suites that run side by side may exceed. A failure has time.
export BROKER_TESTING_ASSERT_TIMEOUT=30

# Prints an attribute of the counters in a test result file.
counter() {
    sed -n "s/.*<Counters [^>]*\b$2=\"\([0-9]*\)\".*/\1/p" "$1" | head -n 1
}

# If permitted, a suite has a network namespace of its own. Two suites run side by side, and a client that reconnects could
# otherwise find a server of the other suite, on a port that the system has reused. The namespace has an address besides
# loopback, as other machines have. A suite that restores packages needs the real network.
alone_in_network() {
    case $1 in Broker.Packages.Tests) return 1 ;; esac
    [ "$(id -u)" = 0 ] && unshare -n true 2>/dev/null
}
with_network='PATH=$PATH:/usr/sbin && ip link set lo up && ip address add 100.64.0.1/32 dev lo && exec "$@"'

# Runs one test project in a process of its own. Its output, counters and time go to $results. A test that hangs ends only this
# run, and the output names it. NAME+portable is the project NAME on the portable poller. NAME+quiet is its part that must run
# alone, which NAME leaves out. NAME+contract is its contract tests.
run_suite() {
    local name=$1 status=0 began=$SECONDS filter=() within=()
    local project=${name%+*}
    if alone_in_network "$project"; then within=(unshare -n -- sh -c "$with_network" sh); fi
    case $name in
    # Tests start the command hundreds of times. Its setting for full compilation at the first call suits a long-running
    # server only: docs/decisions/004-compilation.md.
    Broker.Interop.Tests) local -x DOTNET_TC_QuickJit=1 ;;
    *+portable)
        local -x BROKER_PORTABLE_POLLER=true
        filter=(--filter "$not_portable")
        ;;
    *+quiet) filter=(--filter "$(any_of '~' '|' "${quiet[@]}")") ;;
    Broker.Transport.Tests) filter=(--filter "$(any_of '!~' '&' "${quiet[@]}")") ;;
    # These tests wait for foreign programs, one test at a time, so they run in two halves side by side.
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

# Prints a filter by test classes: any_of ~ '|' selects the classes, any_of '!~' '&' all others.
any_of() {
    local matches=$1 joined=$2 filter= class
    shift 2
    for class; do filter+="${filter:+$joined}FullyQualifiedName$matches.$class."; done
    echo "$filter"
}

# The transport's tests that count which connection is served when. They keep the processors busy with threads of their own.
quiet=(PacingTests EventLoopTests FlushTests)

# Tests to skip on the portable poller: those that run with both pollers anyway, and measurements. The number of blocks that are
# in use at once differs there.
not_portable="DisplayName!~portable:&$(any_of '!~' '&' StressTests ThroughputTests MemoryTests NoiseTests AllocationTests SocketAllocationTests \
    MatrixTests DocumentTests MovedProgramTests)"

# Suites run side by side, because none measures time. Most wait longer than they compute, so more run than there are
# processors. The longest suites start first, so that none runs alone at the end.
lanes=${LANES:-$(($(nproc) * 2))}

# Prints every suite that can run beside others. The Windows tests are a command of their own, eng/test-windows.sh: under load,
# Wine's services exceed their time limits.
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

# Starts a suite when a lane is free. Calls report_suite for each suite that has ended, with the common prefix of its files.
run_when_there_is_room() {
    await_suites "$((lanes - 1))"
    run_suite "$1" &
    running[$!]=$results/$1
}

# Waits until at most this number of suites run.
await_suites() {
    while [ "${#running[@]}" -gt "$1" ]; do
        wait -n || true
        report_finished
    done
}
