using System.Globalization;
using System.Text.Json.Nodes;
using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Serving;

/// <summary>
/// Kills bridges of a pipeline with a JetStream work queue and starts them again, and tests the guarantees in
/// docs/push-pull.md.
/// </summary>
public sealed class KilledStreamBridgeTests : IDisposable
{
    private const int Window = 64;
    private const int Mark = 100;
    private const int Size = 32 * 1024;
    private const int Portion = 1500;

    // The messages that libzmq has taken from its queue and not yet written to the kernel.
    private const int InProgram = 16;

    private const string PushAndPull = """
        import sys, threading, zmq
        pushers, pullers, size = sys.argv[1], sys.argv[2], int(sys.argv[3])
        context = zmq.Context()
        push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
        push.sndhwm = 10
        pull.rcvhwm = 0
        push.connect(pushers)
        pull.connect(pullers)
        pad = b'.' * size
        sent, wanted, got, seen, ready = 0, 0, 0, set(), threading.Semaphore(0)
        def send():
            global sent
            while True:
                ready.acquire()
                while sent < wanted:
                    push.send_multipart([b'%d' % sent, pad])
                    sent += 1
        def take():
            global got
            while True:
                seen.add(int(pull.recv_multipart()[0]))
                got += 1
        threading.Thread(target=send, daemon=True).start()
        threading.Thread(target=take, daemon=True).start()
        for line in sys.stdin:
            wanted += int(line)
            ready.release()
            print(sent, got, len(seen), max(seen, default=-1), flush=True)
        """;

    private readonly DirectoryInfo _store = Directory.CreateTempSubdirectory("jetstream-");

    public void Dispose() => _store.Delete(recursive: true);

    [Fact]
    public async Task Of_what_the_stream_acknowledged_only_what_a_killed_egress_had_handed_over_is_lost_and_of_the_rest_what_a_killed_ingress_held()
    {
        string pushers = FreePort.NextAddress();
        string pullers = FreePort.NextAddress();
        await using var nats = NatsServer.Start("-js", "-sd", _store.FullName, "-m", "-1");
        string route = $"pattern: pushpull, subject: work, window: {Window}, high_water_mark: {Mark}, stream: {{ name: WORK, ack_wait: \"3s\" }}";
        await using var ingress = new MortalBridge(nats.Url, $"{route}, pushers: \"{pushers}\"");
        await using var egress = new MortalBridge(nats.Url, $"{route}, pullers: \"{pullers}\"");
        await using PeerProcess programs = await PythonPeers.StartCodeAsync(
            $"import sys\nsys.argv = ['-c', '{pushers}', '{pullers}', '{Size}']\n{PushAndPull}");
        await FlowAsync();
        await egress.KillAndStartAsync();
        await FlowAsync();
        await ingress.KillAndStartAsync();
        await FlowAsync();

        // No bridge is killed from here on, and the last message follows all others in the stream.
        int pushed = 3 * Portion;
        await UntilAsync(state => state.Sent == pushed && state.Last == pushed - 1);
        long stored = 0;
        await Wait.UntilAsync(
            async () =>
            {
                (stored, long waiting) = await StreamAsync();
                return waiting == 0;
            },
            "the stream is empty");

        // The kernel's buffers count for the PUSH's connection only: the PULL still receives its buffered bytes.
        Assert.InRange(pushed - stored, 0, Window + Mark + InProgram + (MortalBridge.KernelBytes() / Size));
        State end = await UntilAsync(state => state.Distinct >= stored - Mark);
        Assert.InRange(end.Got - end.Distinct, 0, Window + Mark);

        // Returns in the middle of the traffic, so a bridge that is killed then has many messages under way.
        async Task FlowAsync()
        {
            State before = await AskAsync(Portion);
            await UntilAsync(state => state.Got >= before.Got + (Portion / 3));
        }

        async Task<State> UntilAsync(Func<State, bool> holds)
        {
            State state = default;
            await Wait.UntilAsync(async () => holds(state = await AskAsync(0)), () => $"{state}");
            return state;
        }

        async Task<State> AskAsync(int more)
        {
            await programs.WriteLineAsync(more.ToString(CultureInfo.InvariantCulture));
            int[] numbers = [.. (await programs.ReadLineAsync()).Split(' ').Select(word => int.Parse(word, CultureInfo.InvariantCulture))];
            return new State(numbers[0], numbers[1], numbers[2], numbers[3]);
        }

        // The number of messages that the stream has stored so far, and the number that are still in it.
        async Task<(long Stored, long Waiting)> StreamAsync()
        {
            JsonNode page = JsonNode.Parse(await nats.Http.GetStringAsync("/jsz?accounts=true&streams=true", TestContext.Current.CancellationToken))!;
            JsonNode state = page["account_details"]![0]!["stream_detail"]![0]!["state"]!;
            return ((long)state["last_seq"]!, (long)state["messages"]!);
        }
    }

    private readonly record struct State(int Sent, int Got, int Distinct, int Last);
}
