using System.Globalization;
using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Serving;

/// <summary>
/// Tests a pipeline whose only PULL reads nothing: messages queue at the PUSH and in the kernel, not in the bridge.
/// </summary>
public sealed class StoppedPipelineTests
{
    private const int Size = 100_000;
    private const int Pushed = 4000;
    private const int WindowBytes = 4 << 20;
    private const int MarkBytes = 1 << 20;

    // The number of consecutive checks without a new message after which the pipeline counts as stopped.
    private const int Looks = 50;

    // The windows of both ends, the mark, the garbage collector and the pools: a tenth of the pushed bytes in all.
    private const long Bound = (2 * WindowBytes) + MarkBytes + (31L << 20);

    private const string PushAndPull = """
        import sys, threading, zmq
        pushers, pullers, size = sys.argv[1], sys.argv[2], int(sys.argv[3])
        context = zmq.Context()
        push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
        push.sndhwm = 10
        pull.rcvhwm = 1
        push.connect(pushers)
        pull.connect(pullers)
        pad = b'.' * size
        sent, wanted, ready = 0, 0, threading.Semaphore(0)
        def send():
            global sent
            while True:
                ready.acquire()
                while sent < wanted:
                    push.send(pad)
                    sent += 1
        threading.Thread(target=send, daemon=True).start()
        for line in sys.stdin:
            word, number = line.split()
            if word == 'push':
                wanted += int(number)
                ready.release()
            elif word == 'take':
                for _ in range(int(number)):
                    assert pull.recv() == pad
            print(sent, flush=True)
        """;

    [Fact]
    public async Task While_its_PULL_takes_nothing_resident_memory_grows_by_windows_and_marks_at_most_and_then_all_comes()
    {
        const int Warm = 200;
        string pushers = FreePort.NextAddress();
        string pullers = FreePort.NextAddress();
        await using BrokerProcess broker = await BrokerProcess.StartAsync(-1);
        await using PeerProcess bridge = BrokerProcess.RunCommand(
            "bridge", "-q", "-s", broker.Url, "--route",
            $"pattern: pushpull, subject: work, pushers: \"{pushers}\", pullers: \"{pullers}\", window_bytes: {WindowBytes}, high_water_bytes: {MarkBytes}");
        await using PeerProcess programs = await PythonPeers.StartCodeAsync(
            $"import sys\nsys.argv = ['-c', '{pushers}', '{pullers}', '{Size}']\n{PushAndPull}");
        await AskAsync("push", Warm);
        await AskAsync("take", Warm);
        long before = Resident(bridge);

        await AskAsync("push", Pushed);
        long last = -1;
        int same = 0;
        await Wait.UntilAsync(
            async () =>
            {
                long now = await AskAsync("look", 0);
                same = now == last && now > Warm ? same + 1 : 0;
                last = now;
                return same == Looks;
            },
            "the PUSH blocks");
        Assert.InRange(last, Warm + 1, Warm + Pushed - 1);
        long grown = Resident(bridge) - before;
        await AskAsync("take", Pushed);

        TestContext.Current.SendDiagnosticMessage($"{before >> 20} MiB, and {grown >> 20} MiB more");
        Assert.InRange(grown, long.MinValue, Bound);

        async Task<long> AskAsync(string word, int number)
        {
            await programs.WriteLineAsync($"{word} {number.ToString(CultureInfo.InvariantCulture)}");
            return long.Parse(await programs.ReadLineAsync(), CultureInfo.InvariantCulture);
        }
    }

    private static long Resident(PeerProcess peer)
    {
        using var process = System.Diagnostics.Process.GetProcessById(peer.Id);
        return process.WorkingSet64;
    }
}
