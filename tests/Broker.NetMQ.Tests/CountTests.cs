using Broker.Bridge;
using NetMQ;
using NetMQ.Sockets;

namespace Broker.NetMQ.Tests;

/// <summary>
/// An attached socket of each type passes each message once and in order, over tcp and over inproc. With
/// <c>BROKER_NETMQ_MESSAGES=1000000</c> a million messages pass each pair of types.
/// </summary>
public sealed class CountTests
{
    // The messages of a program that have no answer yet.
    private const int Window = 100;

    private static readonly string[] Transports = ["tcp", "inproc"];

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    public static TheoryData<string, string, string> Streams => new(
        from pair in ((string, string)[])[("PULL", "PUSH"), ("SUB", "PUB"), ("XSUB", "XPUB")]
        from transport in Transports
        select (pair.Item1, pair.Item2, transport));

    public static TheoryData<string, string, string> Dialogues => new(
        from pair in ((string, string)[])[("REP", "DEALER"), ("ROUTER", "REQ"), ("DEALER", "DEALER"), ("PAIR", "PAIR")]
        from transport in Transports
        select (pair.Item1, pair.Item2, transport));

    [Theory]
    [MemberData(nameof(Streams))]
    public async Task Each_message_passes_two_attached_sockets_once_and_in_order(string into, string from, string transport)
    {
        await using Site site = await Site.StartAsync();
        NetMQSocket source = Unlimited(Create(into));
        NetMQSocket target = Unlimited(Create(from));
        string front = Bind(source, transport, "front");
        string back = Bind(target, transport, "back");
        Subscribe(source);
        site.Poll(source);
        site.Poll(target);
        var work = new PushPullRouteOptions { Subject = "work" };
        await using NetMQAttachment incoming = await site.AttachAsync(source, work);
        await using NetMQAttachment outgoing = await site.AttachAsync(target, work);
        using NetMQSocket receiver = Unlimited(Create(into));
        Subscribe(receiver);
        receiver.Connect(back);
        using var probed = new ManualResetEventSlim();
        var receiving = Task.Run(() => ReceiveNumbers(receiver, probed), Ended);

        // An XPUB tells the program when the attached SUB has subscribed.
        using NetMQSocket sender = Unlimited(Create(from == "PUB" ? "XPUB" : from));
        sender.Connect(front);
        int probes = await Task.Run(() => SendNumbers(sender, outgoing, probed), Ended);
        await Wait.For(receiving);

        NetMQAttachmentSnapshot one = incoming.GetSnapshot();
        NetMQAttachmentSnapshot other = outgoing.GetSnapshot();
        Assert.Equal((probes + Amount.Messages, 0), (one.FromNetMQ, one.Dropped));
        Assert.Equal((one.FromNetMQ, one.FromNetMQ, 0), (one.ToRoute, other.ToNetMQ, other.Dropped));
    }

    [Theory]
    [MemberData(nameof(Dialogues))]
    public async Task Each_request_passes_two_attached_sockets_and_is_answered_once(string clients, string workers, string transport)
    {
        await using Site site = await Site.StartAsync();
        NetMQSocket first = site.Own(Create(clients));
        NetMQSocket second = site.Own(Create(workers));
        string front = Bind(first, transport, "front");
        string back = Bind(second, transport, "back");
        site.Poll(first);
        site.Poll(second);
        bool isRaw = clients == "PAIR";
        RouteOptions there = isRaw ? Pair("back", "there") : new WorkerRouteOptions { Subject = "jobs" };
        RouteOptions here = isRaw ? Pair("there", "back") : new RequestRouteOptions { Subject = "jobs" };
        await using NetMQAttachment serving = await site.AttachAsync(second, there);
        await using NetMQAttachment asking = await site.AttachAsync(first, here);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Ended);
        var answering = Task.Run(() => Answer(isRaw ? new PairSocket() : new ResponseSocket(), back, stop.Token), Ended);
        using NetMQSocket client = isRaw ? new PairSocket() : clients == "REP" ? new RequestSocket() : new DealerSocket();
        client.Connect(front);
        int window = clients == "REP" ? 1 : Window;
        await Task.Run(() => Ask(client, window), Ended);
        await stop.CancelAsync();
        await Wait.For(answering);

        Assert.Equal((0, 0), (asking.GetSnapshot().Dropped, serving.GetSnapshot().Dropped));
        Assert.True(asking.GetSnapshot().FromNetMQ >= Amount.Exchanges);
    }

    // A PUB drops what nobody has subscribed to, so probes are sent until one has come. Returns their number.
    private static int SendNumbers(NetMQSocket sender, NetMQAttachment outgoing, ManualResetEventSlim probed)
    {
        if (sender is XPublisherSocket)
        {
            Assert.True(sender.TryReceiveFrameBytes(Wait.Limit, out byte[]? subscription));
            Assert.Equal([1], subscription);
        }

        int probes = 0;
        Wait.Until(() =>
        {
            if (outgoing.GetSnapshot().ToNetMQ == probes)
            {
                probes++;
                Assert.True(sender.TrySendFrame(Wait.Limit, BitConverter.GetBytes(-1)));
            }

            return probed.IsSet;
        });
        for (int i = 0; i < Amount.Messages; i++)
        {
            Assert.True(sender.TrySendFrame(Wait.Limit, BitConverter.GetBytes(i)));
        }

        return probes;
    }

    private static void ReceiveNumbers(NetMQSocket receiver, ManualResetEventSlim probed)
    {
        for (int next = 0; next < Amount.Messages;)
        {
            Assert.True(receiver.TryReceiveFrameBytes(Wait.Limit, out byte[]? body));
            int number = BitConverter.ToInt32(body);
            probed.Set();
            if (number >= 0)
            {
                Assert.Equal(next++, number);
            }
        }

        Assert.False(receiver.TryReceiveFrameBytes(TimeSpan.FromMilliseconds(50), out _));
    }

    // The first question waits until the worker is known to the server: it is asked again if nobody takes it.
    private static void Ask(NetMQSocket client, int window)
    {
        Wait.Until(() => Exchange(client, [-1]) is [-1]);
        for (int i = 0; i < Amount.Exchanges; i += window)
        {
            int[] numbers = [.. Enumerable.Range(i, Math.Min(window, Amount.Exchanges - i))];
            Assert.Equal(numbers, Exchange(client, numbers).Order());
        }
    }

    // Returns the numbers of the answers; an answer without a number means that nobody took the question.
    private static int[] Exchange(NetMQSocket client, int[] numbers)
    {
        foreach (int number in numbers)
        {
            if (client is DealerSocket)
            {
                client.SendMoreFrameEmpty();
            }

            Assert.True(client.TrySendFrame(Wait.Limit, BitConverter.GetBytes(number)));
        }

        return Array.ConvertAll(numbers, _ =>
        {
            List<byte[]>? frames = null;
            Assert.True(client.TryReceiveMultipartBytes(Wait.Limit, ref frames!));
            return frames[^1].Length == sizeof(int) ? BitConverter.ToInt32(frames[^1]) : int.MinValue;
        });
    }

    private static void Answer(NetMQSocket worker, string endpoint, CancellationToken stop)
    {
        using NetMQSocket socket = worker;
        socket.Connect(endpoint);
        while (!stop.IsCancellationRequested)
        {
            if (socket.TryReceiveFrameBytes(TimeSpan.FromMilliseconds(20), out byte[]? question))
            {
                socket.SendFrame(question);
            }
        }
    }

    private static RawRouteOptions Pair(string to, string from) => new() { Socket = RawSocket.Pair, ToSubject = to, FromSubject = from };

    private static NetMQSocket Create(string type) => type switch
    {
        "PULL" => new PullSocket(),
        "PUSH" => new PushSocket(),
        "SUB" => new SubscriberSocket(),
        "PUB" => new PublisherSocket(),
        "XSUB" => new XSubscriberSocket(),
        "XPUB" => new XPublisherSocket(),
        "REP" => new ResponseSocket(),
        "REQ" => new RequestSocket(),
        "ROUTER" => new RouterSocket(),
        "DEALER" => new DealerSocket(),
        _ => new PairSocket(),
    };

    // The publishers drop nothing, because their queues have no limit.
    private static NetMQSocket Unlimited(NetMQSocket socket)
    {
        if (socket is not (PushSocket or PullSocket))
        {
            socket.Options.SendHighWatermark = 0;
            socket.Options.ReceiveHighWatermark = 0;
        }

        return socket;
    }

    private static void Subscribe(NetMQSocket socket)
    {
        if (socket is SubscriberSocket subscriber)
        {
            subscriber.SubscribeToAnyTopic();
        }
        else if (socket is XSubscriberSocket)
        {
            socket.SendFrame([1]);
        }
    }

    private static string Bind(NetMQSocket socket, string transport, string name)
    {
        if (transport == "tcp")
        {
            return $"tcp://127.0.0.1:{socket.BindRandomPort("tcp://127.0.0.1")}";
        }

        string endpoint = $"inproc://{name}-{Guid.NewGuid():N}";
        socket.Bind(endpoint);
        return endpoint;
    }
}
