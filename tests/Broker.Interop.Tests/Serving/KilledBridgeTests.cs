using System.Globalization;
using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Serving;

/// <summary>
/// Kills <c>broker bridge</c> with SIGKILL and starts it again while programs of pyzmq and of NetMQ run, and tests the
/// losses that docs/migration.md describes.
/// </summary>
public sealed class KilledBridgeTests
{
    private const int Window = 64;
    private const int Mark = 100;
    private const int Size = 32 * 1024;

    // The messages that the library has taken from its queue and not yet written to the kernel.
    private const int InProgram = 16;

    // The test kills the bridge in the first two thirds. The PUSH starts the next third when the bridge runs again, so
    // the last message is never lost.
    private const string PushAndPull = """
        import sys, threading, zmq
        pushers, pullers, messages, size = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
        context = zmq.Context()
        push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
        push.sndhwm = 10
        pull.rcvhwm = 0
        push.connect(pushers)
        pull.connect(pullers)
        pad = b'.' * size
        def send():
            for i in range(messages):
                if i in (messages // 3, messages * 2 // 3):
                    sys.stdin.readline()
                push.send_multipart([b'%d' % i, pad])
        threading.Thread(target=send, daemon=True).start()
        marks, last, got, disorder = [messages // 6, messages // 2], -1, 0, 0
        while last < messages - 1:
            number = int(pull.recv_multipart()[0])
            disorder += number <= last
            last = number
            got += 1
            while marks and last >= marks[0]:
                marks.pop(0)
                print('now', flush=True)
        print(got, disorder, flush=True)
        """;

    private const string PubAndSub = """
        import sys, threading, time, zmq
        publishers, subscribers = sys.argv[1], sys.argv[2]
        context = zmq.Context()
        pub, sub = context.socket(zmq.PUB), context.socket(zmq.SUB)
        pub.sndhwm = sub.rcvhwm = 0
        sub.subscribe(b't')
        pub.connect(publishers)
        sub.connect(subscribers)
        number, last, disorder = 0, -1, 0
        def send():
            global number
            while True:
                for i in range(20):
                    pub.send_multipart([b't', b'%d' % number])
                    number += 1
                time.sleep(0.002)
        threading.Thread(target=send, daemon=True).start()
        for line in sys.stdin:
            first = number
            while last < first + 200:
                got = int(sub.recv_multipart()[1])
                disorder += got <= last
                last = got
            print('flows', disorder, flush=True)
        """;

    // The test kills the bridge while the worker has the request. The worker answers when a new bridge runs.
    private const string RequestAndReply = """
        import sys, threading, zmq
        clients, workers = sys.argv[1], sys.argv[2]
        context = zmq.Context()
        rep, first, second = context.socket(zmq.REP), context.socket(zmq.REQ), context.socket(zmq.REQ)
        answers = threading.Semaphore(0)
        rep.connect(workers)
        def serve():
            while True:
                body = rep.recv()
                print('has', body.decode(), flush=True)
                answers.acquire()
                rep.send(b'done ' + body)
        threading.Thread(target=serve, daemon=True).start()
        first.connect(clients)
        first.send(b'1')
        sys.stdin.readline()
        second.connect(clients)
        second.send(b'2')
        answers.release()
        sys.stdin.readline()
        answers.release()
        print(second.recv().decode(), first.poll(0), flush=True)
        first.close(0)
        first = context.socket(zmq.REQ)
        first.connect(clients)
        first.send(b'1')
        sys.stdin.readline()
        answers.release()
        print(first.recv().decode(), flush=True)
        """;

    private const string LastValue = """
        import sys, zmq
        publishers, subscribers = sys.argv[1], sys.argv[2]
        context = zmq.Context()
        pub = context.socket(zmq.PUB)
        pub.connect(publishers)
        def begin():
            sub = context.socket(zmq.SUB)
            sub.subscribe(b't')
            sub.connect(subscribers)
            return sub

        # Returns the word of the first message that arrived, after the last one has arrived too.
        def publish(word):
            sub, number = begin(), 0
            while not sub.poll(20):
                number += 1
                pub.send_multipart([b't', b'%s %d' % (word, number)])
            first = got = sub.recv_multipart()[1]
            while got != b'%s %d' % (word, number):
                got = sub.recv_multipart()[1]
            return first.decode().split()[0]
        def late():
            return begin().recv_multipart()[1].decode().split()[0]
        publish(b'old')
        print(late(), flush=True)
        sys.stdin.readline()
        print(publish(b'new'), flush=True)
        print(late(), flush=True)
        """;

    [Theory]
    [InlineData("pyzmq")]
    [InlineData("NetMQ")]
    public async Task Push_and_pull_lose_no_more_than_the_window_the_marks_and_the_kernel_held_and_nothing_comes_twice(string library)
    {
        const int Messages = 6_000;
        string pushers = FreePort.NextAddress();
        string pullers = FreePort.NextAddress();
        await using BrokerProcess nats = await BrokerProcess.StartAsync(-1);
        string route = $"pattern: pushpull, subject: work, pushers: \"{pushers}\", pullers: \"{pullers}\", window: {Window}, high_water_mark: {Mark}, keep_order: true";
        await using var bridge = new MortalBridge(nats.Url, route);
        await using PeerProcess programs = await StartAsync(library, "push_and_pull", PushAndPull, pushers, pullers, Number(Messages), Number(Size));
        int killed = 0;
        string line;
        while ((line = await programs.ReadLineAsync()) == "now")
        {
            await bridge.KillAndStartAsync();
            await programs.WriteLineAsync("on");
            killed++;
        }

        // The kernel's buffers count for the PUSH's connection only: the PULL still receives its buffered bytes.
        int[] result = [.. line.Split(' ').Select(word => int.Parse(word, CultureInfo.InvariantCulture))];
        long bound = Window + Mark + InProgram + (MortalBridge.KernelBytes() / Size);
        Assert.Equal((2, 0), (killed, result[1]));
        Assert.InRange(Messages - result[0], 0, killed * bound);
    }

    [Theory]
    [InlineData("pyzmq")]
    [InlineData("NetMQ")]
    public async Task Publishers_and_subscribers_come_back_by_themselves_and_get_nothing_twice_or_out_of_order(string library)
    {
        string publishers = FreePort.NextAddress();
        string subscribers = FreePort.NextAddress();
        await using BrokerProcess nats = await BrokerProcess.StartAsync(-1);
        string route = $"pattern: pubsub, publishers: \"{publishers}\", subscribers: \"{subscribers}\"";
        await using var bridge = new MortalBridge(nats.Url, route);
        await using PeerProcess programs = await StartAsync(library, "pub_and_sub", PubAndSub, publishers, subscribers);
        for (int i = 0; i < 3; i++)
        {
            await programs.WriteLineAsync("go");
            Assert.Equal("flows 0", await programs.ReadLineAsync());
            await bridge.KillAndStartAsync();
        }
    }

    [Theory]
    [InlineData("pyzmq")]
    [InlineData("NetMQ")]
    public async Task A_request_under_way_is_lost_and_whoever_asks_again_is_answered(string library)
    {
        string clients = FreePort.NextAddress();
        string workers = FreePort.NextAddress();
        await using BrokerProcess nats = await BrokerProcess.StartAsync(-1);
        string[] routes =
        [
            $"pattern: request, endpoint: \"{clients}\", subject: ask, time_to_live: \"1h\"", $"pattern: worker, endpoint: \"{workers}\", subject: ask, time_to_live: \"1h\"",
        ];
        await using var bridge = new MortalBridge(nats.Url, routes);
        await using PeerProcess programs = await StartAsync(library, "request_and_reply", RequestAndReply, clients, workers);
        Assert.Equal("has 1", await programs.ReadLineAsync());
        await bridge.KillAndStartAsync();
        await programs.WriteLineAsync("answer");
        Assert.Equal("has 2", await programs.ReadLineAsync());
        await programs.WriteLineAsync("answer");
        Assert.Equal("done 2 0", await programs.ReadLineAsync());
        Assert.Equal("has 1", await programs.ReadLineAsync());
        await programs.WriteLineAsync("answer");
        Assert.Equal("done 1", await programs.ReadLineAsync());
    }

    [Fact]
    public async Task A_last_value_is_gone_until_its_topic_has_a_new_one()
    {
        string publishers = FreePort.NextAddress();
        string subscribers = FreePort.NextAddress();
        await using BrokerProcess nats = await BrokerProcess.StartAsync(-1);
        string route = $"pattern: pubsub, publishers: \"{publishers}\", subscribers: \"{subscribers}\", last_values: {{ max_topics: 10 }}";
        await using var bridge = new MortalBridge(nats.Url, route);
        await using PeerProcess programs = await PythonPeers.StartCodeAsync(Run(LastValue, publishers, subscribers));
        Assert.Equal("old", await programs.ReadLineAsync());
        await bridge.KillAndStartAsync();
        await programs.WriteLineAsync("on");
        Assert.Equal("new", await programs.ReadLineAsync());
        Assert.Equal("new", await programs.ReadLineAsync());
    }

    // The programs of NetMQ do the same as the scripts.
    private static Task<PeerProcess> StartAsync(string library, string program, string script, params string[] arguments)
        => library == "NetMQ" ? Peers.NetMq.StartAsync(program, arguments) : PythonPeers.StartCodeAsync(Run(script, arguments));

    private static string Run(string script, params IEnumerable<string> arguments)
        => $"import sys\nsys.argv = ['-c', {string.Join(", ", arguments.Select(a => $"'{a}'"))}]\n{script}";

    private static string Number(int number) => number.ToString(CultureInfo.InvariantCulture);
}
