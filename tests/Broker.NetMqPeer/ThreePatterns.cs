using System.Globalization;
using NetMQ;
using NetMQ.Sockets;

namespace Broker.NetMqPeer;

/// <summary>
/// A sender and a receiver of each of three patterns, as threads of one process: PUB and SUB, PUSH and PULL, REQ and
/// REP. It prints whether each message came once and in order.
/// </summary>
internal sealed class ThreePatterns(int count, bool isDirect)
{
    private const string Topic = "event.pump";
    private const string Probe = "here";

    private static readonly TimeSpan ProbeInterval = TimeSpan.FromMilliseconds(50);

    private volatile bool _isHeard;

    /// <param name="at">
    /// The endpoints of publishers, subscribers, pushers, pullers, clients and workers. All programs connect to them;
    /// in direct form, receivers and workers bind, and both programs of a pattern have the same endpoint.
    /// </param>
    public void Run(string[] at)
    {
        Start(() => Publish(at[0]));
        Start(() => Push(at[2]));
        Start(() => Work(at[5]));
        Console.WriteLine($"events {Subscribe(at[1])}");
        Console.WriteLine($"lines {Pull(at[3])}");
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"commands {Request(at[4])}"));
    }

    private static void Start(ThreadStart work) => new Thread(work) { IsBackground = true }.Start();

    // NetMQ's close loses what has not arrived. The thread ends with the process.
    private static void StayOpen() => Thread.Sleep(Timeout.Infinite);

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);

    private void Publish(string endpoint)
    {
        using var pub = new XPublisherSocket();
        pub.Options.SendHighWatermark = 0;
        pub.Connect(endpoint);

        // The first message is the subscription. Probes follow until one has come.
        pub.SkipFrame();
        while (!_isHeard)
        {
            pub.SendMoreFrame(Topic).SendFrame(Probe);
            Thread.Sleep(ProbeInterval);
        }

        for (int i = 0; i < count; i++)
        {
            pub.SendMoreFrame(Topic).SendMoreFrame(Text(i)).SendFrame("x");
        }

        StayOpen();
    }

    private bool Subscribe(string endpoint)
    {
        using var sub = new SubscriberSocket();
        sub.Options.ReceiveHighWatermark = 0;
        sub.Subscribe("event.");
        Join(sub, endpoint);
        for (int next = 0; next < count;)
        {
            List<string> frames = sub.ReceiveMultipartStrings();
            _isHeard = true;
            if (frames[1] != Probe && !frames.SequenceEqual([Topic, Text(next++), "x"]))
            {
                return false;
            }
        }

        return true;
    }

    private void Push(string endpoint)
    {
        using var push = new PushSocket(">" + endpoint);
        for (int i = 0; i < count; i++)
        {
            push.SendMoreFrame(Text(i)).SendMoreFrameEmpty().SendFrame("x");
        }

        StayOpen();
    }

    private bool Pull(string endpoint)
    {
        using var pull = new PullSocket();
        Join(pull, endpoint);
        return Enumerable.Range(0, count).All(number => pull.ReceiveMultipartStrings().SequenceEqual([Text(number), "", "x"]));
    }

    private void Work(string endpoint)
    {
        using var rep = new ResponseSocket();
        Join(rep, endpoint);
        while (true)
        {
            NetMQMessage request = rep.ReceiveMultipartMessage();
            request.Push("did");
            rep.SendMultipartMessage(request);
        }
    }

    // Returns the number of right replies.
    private int Request(string endpoint)
    {
        using var req = new RequestSocket(">" + endpoint);
        return Enumerable.Range(0, count).Count(number =>
        {
            req.SendMoreFrame("command").SendFrame(Text(number));
            return req.ReceiveMultipartStrings().SequenceEqual(["did", "command", Text(number)]);
        });
    }

    private void Join(NetMQSocket socket, string endpoint)
    {
        if (isDirect)
        {
            socket.Bind(endpoint);
        }
        else
        {
            socket.Connect(endpoint);
        }
    }
}
