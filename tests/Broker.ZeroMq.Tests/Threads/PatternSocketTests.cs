using System.Text;

namespace Broker.ZeroMq.Tests.Threads;

public abstract class PatternSocketTests : IDisposable
{
    private readonly SocketTransport _transport;

    protected PatternSocketTests(SocketTransport transport) => _transport = transport;

    private static readonly TimeSpan Guard = Wait.Limit;

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public void Dispose()
    {
        _transport.Dispose();
        GC.SuppressFinalize(this);
    }

    [Fact]
    public void A_request_gets_its_reply()
    {
        using var rep = new ResponseSocket(context: _transport.Context);
        using var req = new RequestSocket(context: _transport.Context);
        req.Connect(rep.Bind(_transport.AnyEndpoint));
        for (int i = 0; i < 100; i++)
        {
            req.Send($"question {i}");
            Assert.Equal($"question {i}", rep.ReceiveString());
            rep.Send("answer"u8, Encoding.UTF8.GetBytes($"{i}"));
            Assert.Equal(["answer", $"{i}"], req.ReceiveFrames().Select(Encoding.UTF8.GetString));
        }
    }

    [Fact]
    public void Requests_and_replies_alternate_and_any_other_order_throws()
    {
        using var rep = new ResponseSocket(context: _transport.Context);
        using var req = new RequestSocket(context: _transport.Context);
        req.Connect(rep.Bind(_transport.AnyEndpoint));

        Assert.Throws<InvalidOperationException>(() => req.ReceiveString());
        Assert.Throws<InvalidOperationException>(() => rep.Send("unasked"u8));
        req.Send("1"u8);
        Assert.Throws<InvalidOperationException>(() => req.Send("2"u8));
        Assert.Equal("1", rep.ReceiveString());
        Assert.Throws<InvalidOperationException>(() => rep.ReceiveString());
        rep.Send("one"u8);
        Assert.Throws<InvalidOperationException>(() => rep.Send("again"u8));
        Assert.Equal("one", req.ReceiveString());
        Assert.Throws<InvalidOperationException>(() => req.ReceiveString());
    }

    [Fact]
    public void A_request_without_a_peer_is_refused_and_may_be_sent_again()
    {
        using var req = new RequestSocket(context: _transport.Context);
        string endpoint = req.Bind(_transport.AnyEndpoint);

        Assert.False(req.TrySend("early"u8));
        Assert.False(req.TrySend("early"u8, TimeSpan.FromMilliseconds(5)));

        using var rep = new ResponseSocket(context: _transport.Context);
        rep.Connect(endpoint);
        req.Send("now"u8);
        Assert.Equal("now", rep.ReceiveString());
    }

    [Fact]
    public void A_relaxed_request_abandons_the_previous_one_and_numbers_distinguish_their_replies()
    {
        using var router = new RouterSocket(context: _transport.Context);
        using var req = new RequestSocket(new RequestSocketOptions { Relaxed = true, Correlate = true }, _transport.Context);
        req.Connect(router.Bind(_transport.AnyEndpoint));
        using var first = new ZeroMqMessage();
        using var second = new ZeroMqMessage();
        req.Send("first"u8);
        router.Receive(first);
        req.Send("second"u8);
        router.Receive(second);

        Assert.Equal("second", Encoding.UTF8.GetString(second.Last));
        router.Send(first);
        router.Send(second);

        Assert.Equal("second", req.ReceiveString());
    }

    // If one thread has a request open, the other's receive throws. A thread that has received may reply at once,
    // whenever the other thread's reply returns.
    [Fact]
    public async Task Two_threads_that_serve_one_REP_lose_no_request()
    {
        const int Requests = 20_000;
        using var rep = new ResponseSocket(context: _transport.Context);
        using var req = new RequestSocket(new RequestSocketOptions { ReceiveTimeout = Guard }, _transport.Context);
        req.Connect(rep.Bind(_transport.AnyEndpoint));
        Task[] servers = new[] { Task.Run(Serve, Cancellation), Task.Run(Serve, Cancellation) };
        for (int i = 0; i < Requests; i++)
        {
            req.Send($"{i}");
            Assert.Equal($"{i}", req.ReceiveString());
        }

        rep.Dispose();
        await Task.WhenAll(servers).WaitAsync(Guard, Cancellation);

        void Serve()
        {
            using var message = new ZeroMqMessage();
            try
            {
                while (true)
                {
                    try
                    {
                        rep.Receive(message);
                    }
                    catch (InvalidOperationException e) when (e is not ObjectDisposedException)
                    {
                        Thread.Yield();
                        continue;
                    }

                    rep.Send(message);
                }
            }
            catch (ObjectDisposedException)
            {
            }
        }
    }

    [Fact]
    public void Many_requests_are_open_at_a_dealer_and_the_router_answers_each_by_its_id()
    {
        using var router = new RouterSocket(context: _transport.Context);
        using var a = new DealerSocket(new ZeroMqSocketOptions { RoutingId = Encoding.UTF8.GetBytes("a") }, _transport.Context);
        using var b = new DealerSocket(new ZeroMqSocketOptions { RoutingId = Encoding.UTF8.GetBytes("b") }, _transport.Context);
        string endpoint = router.Bind(_transport.AnyEndpoint);
        a.Connect(endpoint);
        b.Connect(endpoint);
        for (int i = 0; i < 200; i++)
        {
            a.Send($"{i}", "of a");
            b.Send($"{i}", "of b");
        }

        using var message = new ZeroMqMessage();
        for (int i = 0; i < 400; i++)
        {
            router.Receive(message);
            Assert.Equal(3, message.FrameCount);
            Assert.Equal("of " + message.GetString(0), message.GetString(2));
            router.Send(message);
        }

        for (int i = 0; i < 200; i++)
        {
            Assert.Equal([$"{i}", "of a"], a.ReceiveFrames().Select(Encoding.UTF8.GetString));
            Assert.Equal([$"{i}", "of b"], b.ReceiveFrames().Select(Encoding.UTF8.GetString));
        }
    }

    [Fact]
    public void A_routers_message_without_a_peer_is_dropped_and_counted()
    {
        using var router = new RouterSocket(context: _transport.Context);
        router.Bind(_transport.AnyEndpoint);

        router.Send("nobody", "hello");
        router.Send("no body"u8);

        Wait.Until(() => router.MessagesDropped == 2);
    }

    [Fact]
    public void A_buffer_cannot_receive_a_routers_message_because_it_has_two_frames()
    {
        using var router = new RouterSocket(context: _transport.Context);
        using var dealer = new DealerSocket(context: _transport.Context);
        dealer.Connect(router.Bind(_transport.AnyEndpoint));
        dealer.Send("one frame"u8);

        Assert.Throws<InvalidOperationException>(() => router.Receive(new byte[100]));
        Assert.Throws<InvalidOperationException>(() => router.ReceiveString());
        Assert.Equal(2, router.ReceiveFrames().Length);
    }

    [Fact]
    public void A_pair_sends_and_receives()
    {
        using var left = new PairSocket(context: _transport.Context);
        using var right = new PairSocket(context: _transport.Context);
        right.Connect(left.Bind(_transport.AnyEndpoint));

        right.Send("to the left");
        Assert.Equal("to the left", left.ReceiveString());
        left.Send("to the right");
        Assert.Equal("to the right", right.ReceiveString());
    }

    [Fact]
    public void A_subscriber_gets_what_it_has_subscribed_to()
    {
        using var pub = new PublisherSocket(context: _transport.Context);
        using var sub = new SubscriberSocket(context: _transport.Context);
        sub.Subscribe("weather");
        sub.Connect(pub.Bind(_transport.AnyEndpoint));
        using var message = new ZeroMqMessage();

        // A message that is published before the peer has subscribed reaches no one.
        Wait.Until(() =>
        {
            pub.Send("weather.oslo", "4 degrees");
            return sub.TryReceive(message, TimeSpan.FromMilliseconds(10));
        });
        Assert.Equal("weather.oslo", message.GetString(0));
        pub.Send("news", "none");
        pub.Send("weather.end", "of it");
        while (message.GetString(0) != "weather.end")
        {
            Assert.StartsWith("weather.", message.GetString(0), StringComparison.Ordinal);
            sub.Receive(message);
        }

        sub.Unsubscribe("weather");
        sub.Subscribe("other"u8);
        Wait.Until(() =>
        {
            pub.Send("weather", "too late");
            pub.Send("other"u8);
            return sub.TryReceive(message, TimeSpan.FromMilliseconds(10)) && message.GetString(0) == "other";
        });
    }

    [Fact]
    public void A_stopped_subscriber_blocks_nobody()
    {
        using var pub = new PublisherSocket(new ZeroMqSocketOptions { SendHighWaterBytes = 100_000 }, _transport.Context);
        using var stuck = new SubscriberSocket(new ZeroMqSocketOptions { ReceiveHighWaterMark = 1 }, _transport.Context);
        stuck.Subscribe("");
        stuck.Connect(pub.Bind(_transport.AnyEndpoint));
        byte[] body = new byte[10_000];

        Wait.Until(() =>
        {
            pub.Send(body);
            return pub.MessagesDropped > 100;
        });
    }
}

public sealed class PatternsOverSystemSocketsTests() : PatternSocketTests(new SocketTransport.OfSystem());

public sealed class PatternsOverInprocTests() : PatternSocketTests(new SocketTransport.OfProcess(loops: 1));

public sealed class PatternsOverInprocOfTwoLoopsTests() : PatternSocketTests(new SocketTransport.OfProcess(loops: 2));
