using System.Collections.Concurrent;
using Broker.Transport;

namespace Broker.ZeroMq.Tests.Threads;

/// <summary>
/// Sockets on a caller-driven loop: the thread that waits runs the iterations. Each test uses only the loop's thread.
/// </summary>
public sealed class CallerDrivenLoopTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private static EventLoopGroup Loops(bool portable = false) => new(new EventLoopOptions { CallerDriven = true, ForcePortable = portable });

    public static TheoryData<string, bool> Transports
    {
        get
        {
            var all = new TheoryData<string, bool>();
            foreach (bool portable in new[] { false, true })
            {
                all.Add(AnyPort, portable);
                all.Add("ipc://*", portable);
                all.Add("inproc://here", portable);
            }

            return all;
        }
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public void One_thread_sends_requests_and_answers_them_itself(string endpoint, bool portable) => Converse(endpoint, portable, attempts: 0);

    [Fact]
    public void One_thread_that_makes_attempts_before_it_sleeps_does_so_too() => Converse(AnyPort, portable: false, attempts: 50);

    private static void Converse(string endpoint, bool portable, int attempts)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() || !endpoint.StartsWith("ipc", StringComparison.Ordinal), "libzmq has Unix sockets there");
        using EventLoopGroup loops = Loops(portable);
        using var context = new ZeroMqContext(loops);
        using var rep = new ResponseSocket(new ZeroMqSocketOptions { Attempts = attempts }, context);
        using var req = new RequestSocket(new RequestSocketOptions { Attempts = attempts }, context);
        req.Connect(rep.Bind(endpoint));
        for (int i = 0; i < 100; i++)
        {
            req.Send($"question {i}");
            Assert.Equal($"question {i}", rep.ReceiveString());
            rep.Send($"answer {i}");
            Assert.Equal($"answer {i}", req.ReceiveString());
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Sockets_of_other_threads_exchange_messages_beyond_every_mark(bool portable)
    {
        const int Count = 500;
        using var others = new PullSocket(new ZeroMqSocketOptions { ReceiveHighWaterMark = 10 });
        using var back = new PushSocket(new ZeroMqSocketOptions { SendHighWaterMark = 10 });
        var passing = new Thread(() =>
        {
            for (int i = 0; i < Count; i++)
            {
                back.Send(others.ReceiveBytes());
            }
        });
        using EventLoopGroup loops = Loops(portable);
        using var context = new ZeroMqContext(loops);
        using var push = new PushSocket(new ZeroMqSocketOptions { SendHighWaterMark = 10 }, context);
        using var pull = new PullSocket(new ZeroMqSocketOptions { ReceiveHighWaterMark = 10 }, context);
        push.Connect(others.Bind(AnyPort));
        back.Connect(pull.Bind(AnyPort));
        passing.Start();
        byte[] body = new byte[10_000];
        int got = 0;
        for (int sent = 0; sent < Count; sent++)
        {
            BitConverter.TryWriteBytes(body, sent);
            while (!push.TrySend(body, TimeSpan.FromMilliseconds(1)))
            {
                // Both directions are full: receiving the returned messages makes room.
                Take(TimeSpan.FromMilliseconds(1));
            }
        }

        Wait.Until(() =>
        {
            Take(TimeSpan.FromMilliseconds(10));
            return got == Count;
        });

        passing.Join();

        void Take(TimeSpan time)
        {
            byte[] buffer = new byte[body.Length];
            if (pull.TryReceive(buffer, out int size, time))
            {
                Assert.Equal((body.Length, got), (size, BitConverter.ToInt32(buffer)));
                got++;
            }
        }
    }

    public static TheoryData<string, bool, int> Rallies
    {
        get
        {
            var all = new TheoryData<string, bool, int>();
            foreach (string type in (string[])["PAIR", "DEALER"])
            {
                all.Add(type, false, 0);
                all.Add(type, false, 20);
                all.Add(type, true, 0);
            }

            return all;
        }
    }

    [Theory]
    [MemberData(nameof(Rallies))]
    public void Two_threads_that_each_drive_their_own_loop_exchange_ten_thousand_messages(string type, bool portable, int attempts)
    {
        const int Rounds = 10_000;
        var options = new ZeroMqSocketOptions { Attempts = attempts, SendTimeout = Wait.Limit, ReceiveTimeout = Wait.Limit };
        using var bound = new BlockingCollection<string>();
        Exception? thrown = null;
        var other = new Thread(() => thrown = Record.Exception(Answer));
        other.Start();
        using (EventLoopGroup loops = Loops(portable))
        using (var context = new ZeroMqContext(loops))
        using (MessageSocket socket = type == "PAIR" ? new PairSocket(options, context) : new DealerSocket(options, context))
        {
            Assert.True(bound.TryTake(out string? endpoint, Wait.Limit));
            socket.Connect(endpoint);
            using var message = new ZeroMqMessage();
            for (int i = 0; i < Rounds; i++)
            {
                Play(socket, sends: true, message, i);
                Play(socket, sends: false, message, -i);
            }
        }

        other.Join();
        Assert.Null(thrown);

        void Answer()
        {
            using EventLoopGroup loops = Loops(portable);
            using var context = new ZeroMqContext(loops);
            using MessageSocket socket = type == "PAIR" ? new PairSocket(options, context) : new DealerSocket(options, context);
            bound.Add(socket.Bind(AnyPort));
            using var message = new ZeroMqMessage();
            for (int i = 0; i < Rounds; i++)
            {
                Play(socket, sends: false, message, i);
                Play(socket, sends: true, message, -i);
            }
        }
    }

    private static void Play(MessageSocket socket, bool sends, ZeroMqMessage message, int number)
    {
        if (sends)
        {
            message.Clear();
            message.Append(BitConverter.GetBytes(number));
        }

        switch (socket)
        {
            case PairSocket pair when sends:
                pair.Send(message);
                break;
            case PairSocket pair:
                pair.Receive(message);
                break;
            case DealerSocket dealer when sends:
                dealer.Send(message);
                break;
            case DealerSocket dealer:
                dealer.Receive(message);
                break;
        }

        if (!sends)
        {
            Assert.Equal((1, number), (message.FrameCount, BitConverter.ToInt32(message.First)));
        }
    }

    [Fact]
    public void Published_and_routed_messages_are_sent_by_the_following_iterations()
    {
        using EventLoopGroup loops = Loops();
        using var context = new ZeroMqContext(loops);
        using var pub = new XPublisherSocket(context: context);
        using var sub = new SubscriberSocket();
        sub.Subscribe("t");
        sub.Connect(pub.Bind(AnyPort));
        Assert.Equal([1, (byte)'t'], pub.ReceiveBytes());
        pub.Send("t1");
        string? heard = null;
        Wait.Until(() =>
        {
            Assert.False(pub.TryReceiveString(out _, TimeSpan.FromMilliseconds(1)));
            return sub.TryReceiveString(out heard, TimeSpan.FromMilliseconds(1));
        });
        Assert.Equal("t1", heard);

        using var router = new RouterSocket(context: context);
        using var dealer = new DealerSocket();
        dealer.Connect(router.Bind(AnyPort));
        dealer.Send("who?");
        byte[][] asked = router.ReceiveFrames();
        using var answer = new ZeroMqMessage();
        answer.Append(asked[0]);
        answer.Append("you");
        router.Send(answer);
        Wait.Until(() =>
        {
            Assert.False(router.TryReceive(answer, TimeSpan.FromMilliseconds(1)));
            return dealer.TryReceiveString(out heard, TimeSpan.FromMilliseconds(1));
        });
        Assert.Equal("you", heard);
    }

    [Fact]
    public void Timeouts_end_and_a_call_without_one_runs_no_iteration()
    {
        using EventLoopGroup loops = Loops();
        using var context = new ZeroMqContext(loops);
        var brief = new ZeroMqSocketOptions { SendTimeout = TimeSpan.FromMilliseconds(5), ReceiveTimeout = TimeSpan.FromMilliseconds(5) };
        using var push = new PushSocket(brief, context);
        using var pull = new PullSocket(brief, context);
        Assert.Throws<TimeoutException>(() => push.Send("nobody"));
        Assert.Throws<TimeoutException>(() => pull.ReceiveString());
        Assert.False(push.TrySend("nobody"u8, TimeSpan.FromMilliseconds(5)));
        Assert.False(pull.TryReceiveString(out _, TimeSpan.FromMilliseconds(5)));
        string endpoint = pull.Bind(AnyPort);
        push.Connect(endpoint);

        // The message waits for the endpoint, and no thread runs the loop.
        Assert.True(push.TrySend("later"u8, Wait.Limit));
        Assert.False(pull.TryReceiveString(out _));
        Assert.True(pull.TryReceiveString(out string? text, Wait.Limit));
        Assert.Equal("later", text);
    }

    [Fact]
    public void Another_thread_may_only_close_the_socket()
    {
        using EventLoopGroup loops = Loops();
        using var context = new ZeroMqContext(loops);
        using var pull = new PullSocket(context: context);
        Assert.False(pull.TryReceiveString(out _, TimeSpan.FromMilliseconds(1)));
        InvalidOperationException thrown = Assert.IsType<InvalidOperationException>(OnAnother(() => pull.ReceiveString()));
        Assert.Contains("belongs to the thread", thrown.Message, StringComparison.Ordinal);

        Task? closed = null;
        Assert.Null(OnAnother(() => closed = pull.CloseAsync()));
        Assert.Throws<ObjectDisposedException>(() => pull.ReceiveString());
        pull.Dispose();
        Assert.True(closed!.IsCompletedSuccessfully);
    }

    [Fact]
    public void Awaiting_callers_are_served_by_the_iterations_of_the_loops_thread()
    {
        using EventLoopGroup loops = Loops();
        using var context = new ZeroMqContext(loops);
        using var pull = new PullSocket(context: context);
        using var push = new PushSocket();
        push.Connect(pull.Bind(AnyPort));
        string? text = null;
        Task<string> received = Task.Run(async () => text = await pull.ReceiveStringAsync(Token), Token);
        push.Send("hello");
        Wait.Until(() =>
        {
            loops[0].RunOnce(TimeSpan.FromMilliseconds(1));
            return received.IsCompleted;
        });
        Assert.Equal("hello", text);
    }

    private static Exception? OnAnother(Action action)
    {
        Exception? thrown = null;
        var thread = new Thread(() => thrown = Record.Exception(action));
        thread.Start();
        thread.Join();
        return thrown;
    }
}
