using Broker.Client;

namespace Broker.Windows.Tests;

/// <summary>
/// The bridge of the broker for Windows between unmodified programs of pyzmq on Linux and of NetMQ on Windows, with all
/// three patterns.
/// </summary>
public sealed class BridgeTests(WindowsMachine windows) : IClassFixture<WindowsMachine>
{
    private const int Count = 1000;
    private const string Patient = "stop_deadline: \"100s\"\nwrite_deadline: \"100s\"\n";

    // For each pattern a sender and a receiver, as threads of one process.
    private const string ThreePatterns = """
        import sys, threading, zmq
        publishers, subscribers, pushers, pullers, clients, workers = sys.argv[1:7]
        count = int(sys.argv[7])
        context = zmq.Context()

        def connected(kind, endpoint):
            socket = context.socket(kind)
            socket.sndhwm = socket.rcvhwm = 0
            socket.connect(endpoint)
            return socket

        def publish():
            pub = connected(zmq.XPUB, publishers)
            pub.recv()
            while not heard.wait(0.05):
                pub.send_multipart([b'event.pump', b'here'])
            for i in range(count):
                pub.send_multipart([b'event.pump', b'%d' % i, b'x'])
            done.wait()

        def push():
            socket = connected(zmq.PUSH, pushers)
            for i in range(count):
                socket.send_multipart([b'%d' % i, b'', b'x'])
            done.wait()

        def work():
            socket = connected(zmq.REP, workers)
            while True:
                socket.send_multipart([b'did'] + socket.recv_multipart())

        heard, done = threading.Event(), threading.Event()
        for program in (publish, push, work):
            threading.Thread(target=program, daemon=True).start()

        sub = connected(zmq.SUB, subscribers)
        sub.subscribe(b'event.')
        events = []
        while len(events) < count:
            frames = sub.recv_multipart()
            heard.set()
            if frames[1] != b'here':
                events.append(frames)
        print('events', events == [[b'event.pump', b'%d' % i, b'x'] for i in range(count)], flush=True)

        pull = connected(zmq.PULL, pullers)
        print('lines', [pull.recv_multipart() for _ in range(count)] == [[b'%d' % i, b'', b'x'] for i in range(count)], flush=True)

        req = connected(zmq.REQ, clients)
        right = 0
        for i in range(count):
            req.send_multipart([b'command', b'%d' % i])
            right += req.recv_multipart() == [b'did', b'command', b'%d' % i]
        print('commands', right, flush=True)
        done.set()
        """;

    [Fact]
    public Task Events_commands_and_lines_of_pyzmq_programs_cross_the_service_and_each_comes_once_and_in_order()
        => ThroughServiceAsync("bridge", async at =>
        {
            string python = Programs.Find("python3") is null ? Programs.Require("python3") : "/usr/bin/python3";
            await using var programs = PeerProcess.Start("pyzmq", python, ["-c", ThreePatterns, .. at, $"{Count}"]);

            Assert.Equal("events True", await programs.ReadLineAsync());
            Assert.Equal("lines True", await programs.ReadLineAsync());
            Assert.Equal($"commands {Count}", await programs.ReadLineAsync());
        });

    [Fact]
    public Task Events_commands_and_lines_of_NetMQ_programs_cross_the_service_and_each_comes_once_and_in_order()
        => ThroughServiceAsync("netmq-bridge", at => ExchangeAsync("bridge", at));

    // If NetMQ's own programs did not meet on this Windows, the test of the bridge would show nothing.
    [Fact]
    public Task NetMQ_programs_exchange_events_commands_and_lines_without_a_bridge() => windows.TestAsync(() =>
    {
        (string events, string lines, string commands) = (FreePort.NextAddress(), FreePort.NextAddress(), FreePort.NextAddress());
        return ExchangeAsync("direct", [events, events, lines, lines, commands, commands]);
    });

    private async Task ExchangeAsync(string how, string[] at)
    {
        string text = await windows.SucceedAsync(windows.NetMqPeer, ["three_patterns", how, $"{Count}", .. at]);

        Assert.Equal(["events True", "lines True", $"commands {Count}"], text.Split('\n', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries));
    }

    private Task ThroughServiceAsync(string name, Func<string[], Task> exchange) => windows.TestAsync(async () =>
    {
        string[] at = [.. Enumerable.Range(0, 6).Select(_ => FreePort.NextAddress())];
        await using InstalledService service = await InstalledService.InstallAsync(windows, name, Patient + $$"""
            zeromq {
              routes: [
                { pattern: pubsub, publishers: "{{at[0]}}", subscribers: "{{at[1]}}" }
                { pattern: pushpull, subject: logs.central, pushers: "{{at[2]}}", pullers: "{{at[3]}}" }
                { pattern: request, subject: device.commands, endpoint: "{{at[4]}}" }
                { pattern: worker, subject: device.commands, endpoint: "{{at[5]}}" }
              ]
            }

            """);
        Assert.Contains("running (process ", await service.DoAsync("start"), StringComparison.Ordinal);
        (string nats, _, _) = await service.AddressesAsync();
        await using BrokerConnection native = await BrokerConnection.ConnectAsync(
            new ClientOptions { Servers = [nats], ConnectTimeout = Wait.Limit }, TestContext.Current.CancellationToken);
        int events = 0;
        native.Subscribe("zmq.event.*", (in message) =>
        {
            if (!message.Body.SequenceEqual("here"u8))
            {
                Interlocked.Increment(ref events);
            }
        });
        await native.PingAsync(TestContext.Current.CancellationToken);

        await exchange(at);

        // The messages went through the server of the service.
        await Wait.UntilAsync(() => Volatile.Read(ref events) == Count, () => $"{events} events");
        Assert.Contains($"{name}: stopped", await service.DoAsync("stop"), StringComparison.Ordinal);
    });
}
