using System.Globalization;
using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Serving;

/// <summary>
/// Tests one bridge with many libzmq peers, 200 or <c>BROKER_PEERS</c>. A quarter of them hardly read: the others lose
/// nothing, and the memory of the process is bounded.
/// </summary>
public sealed class CrowdedBridgeTests
{
    private const int Usual = 200;
    private const int Size = 10_000;
    private const int Published = 400;
    private const int PushedEach = 60;
    private const int Mark = 64 * 1024;

    // A peer's queue, rounded up to blocks, and its session. The bridge's share is its windows and pools.
    private const long EachPeer = 128 * 1024;
    private const long Bridge = 48L << 20;

    // Half of the peers are SUBs and half are PULLs. A quarter of each hardly reads. The slow PULLs read at the end.
    private const string Crowd = """
        import resource, sys, threading, time, zmq
        ahead = 4
        publishers, subscribers, pushers, pullers = sys.argv[1:5]
        peers, size, published, pushed = (int(word) for word in sys.argv[5:9])
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8 * peers + 1000), hard))
        context = zmq.Context(io_threads=2)
        context.set(zmq.MAX_SOCKETS, 2 * peers + 100)
        pad = b'.' * size

        def make(kind, endpoint, slow):
            socket = context.socket(kind)
            socket.linger = 0
            socket.rcvhwm = 1 if slow else 0
            socket.connect(endpoint)
            if kind == zmq.SUB:
                socket.subscribe(b't')
            return socket

        half, slow = peers // 2, peers // 8
        subs = [make(zmq.SUB, subscribers, i < slow) for i in range(half)]
        pub, push = context.socket(zmq.XPUB), context.socket(zmq.PUSH)
        pub.sndhwm = push.sndhwm = 0
        pub.connect(publishers)
        push.connect(pushers)
        pub.recv()

        # A SUB counts after it has received a probe: its subscription is then known.
        waiting = set(subs)
        while waiting:
            pub.send_multipart([b't', b'probe', b''])
            time.sleep(0.02)
            for socket in list(waiting):
                if socket.poll(0):
                    socket.recv_multipart()
                    waiting.discard(socket)
        pulls = [make(zmq.PULL, pullers, i < slow) for i in range(half)]
        print('ready', flush=True)

        def take(sockets, done):
            poller = zmq.Poller()
            for socket in sockets:
                poller.register(socket, zmq.POLLIN)
            while not done():
                for socket, _ in poller.poll(100):
                    for _ in range(20):
                        try:
                            frames = socket.recv_multipart(zmq.NOBLOCK)
                        except zmq.Again:
                            break
                        if frames[-2] != b'probe':
                            assert frames[-1] == pad
                            got[socket].append(int(frames[-2]))

        got = {socket: [] for socket in subs + pulls}
        sys.stdin.readline()

        # Sends only as many messages at once as fit below the mark, so a SUB that reads loses nothing.
        for i in range(0, published, ahead):
            for number in range(i, i + ahead):
                pub.send_multipart([b't', b'%d' % number, pad])
            take(subs[slow:], lambda: all(len(got[socket]) >= i + ahead for socket in subs[slow:]))
        right = sum(got[socket] == list(range(published)) for socket in subs[slow:])
        print('subs', right, flush=True)

        def send():
            for i in range(pushed):
                push.send_multipart([b'%d' % i, pad])
        sys.stdin.readline()
        threading.Thread(target=send, daemon=True).start()

        # Reads until the queues of the slow PULLs are full, or until all messages have arrived.
        same, last = 0, -1
        def rests():
            global same, last
            count = sum(len(got[socket]) for socket in pulls)
            same, last = same + 1 if count == last else 0, count
            return same == 20
        take(pulls[slow:], rests)
        print('pulls', last, flush=True)

        # At the end, each message has arrived exactly once.
        sys.stdin.readline()
        take(pulls, lambda: sum(len(got[socket]) for socket in pulls) >= pushed)
        numbers = sorted(number for socket in pulls for number in got[socket])
        print('all', numbers == list(range(pushed)), flush=True)
        sys.stdin.readline()
        """;

    private static int Peers => int.TryParse(Environment.GetEnvironmentVariable("BROKER_PEERS"), CultureInfo.InvariantCulture, out int peers) ? peers : Usual;

    [Fact]
    public async Task The_quick_of_very_many_programs_lose_nothing_by_the_slow_and_resident_memory_is_bounded()
    {
        string publishers = FreePort.NextAddress();
        string subscribers = FreePort.NextAddress();
        string pushers = FreePort.NextAddress();
        string pullers = FreePort.NextAddress();
        await using BrokerProcess broker = await BrokerProcess.StartAsync(-1);
        await using PeerProcess bridge = BrokerProcess.RunCommand(
            "bridge", "-q", "-s", broker.Url,
            "--route", $"pattern: pubsub, publishers: \"{publishers}\", subscribers: \"{subscribers}\", send_high_water_mark: {Mark}",
            "--route", $"pattern: pushpull, subject: work, pushers: \"{pushers}\", pullers: \"{pullers}\", high_water_mark: 5, window: 256");
        int quick = (Peers / 2) - (Peers / 8);
        string[] arguments = [publishers, subscribers, pushers, pullers, Number(Peers), Number(Size), Number(Published), Number(Peers / 2 * PushedEach)];
        await using PeerProcess crowd = await PythonPeers.StartCodeAsync(
            $"import sys\nsys.argv = ['-c', {string.Join(", ", arguments.Select(a => $"'{a}'"))}]\n{Crowd}");
        Assert.Equal("ready", await crowd.ReadLineAsync());
        long before = Resident(bridge);

        await crowd.WriteLineAsync("send");
        Assert.Equal($"subs {quick}", await crowd.ReadLineAsync());
        long withSubscribers = Resident(bridge) - before;
        await crowd.WriteLineAsync("pull");
        Assert.StartsWith("pulls ", await crowd.ReadLineAsync(), StringComparison.Ordinal);
        long withPullers = Resident(bridge) - before;
        await crowd.WriteLineAsync("all");
        Assert.Equal("all True", await crowd.ReadLineAsync());

        TestContext.Current.SendDiagnosticMessage($"{Peers} peers: {before >> 20} MiB, and {withSubscribers >> 20}, {withPullers >> 20} MiB more");
        Assert.InRange(Math.Max(withSubscribers, withPullers), long.MinValue, Bridge + (Peers * EachPeer));
    }

    private static long Resident(PeerProcess peer)
    {
        using var process = System.Diagnostics.Process.GetProcessById(peer.Id);
        return process.WorkingSet64;
    }

    private static string Number(int number) => number.ToString(CultureInfo.InvariantCulture);
}
