using System.Text;

namespace Broker.ZeroMq.Tests.Threads;

public sealed class ProxyTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    private static readonly TimeSpan Guard = Wait.Limit;

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Requests_go_through_a_router_and_a_dealer_to_workers_and_replies_come_back()
    {
        using var frontend = new RouterSocket();
        using var backend = new DealerSocket();
        string clients = frontend.Bind(AnyPort);
        string workers = backend.Bind(AnyPort);
        await using var proxy = ZeroMqProxy.Start(frontend, backend);
        using var first = new ResponseSocket();
        using var second = new ResponseSocket();
        foreach (ResponseSocket rep in (ResponseSocket[])[first, second])
        {
            rep.Connect(workers);
            new Thread(() => Echo(rep)) { IsBackground = true }.Start();
        }

        using var a = new RequestSocket();
        using var b = new RequestSocket();
        a.Connect(clients);
        b.Connect(clients);
        for (int i = 0; i < 200; i++)
        {
            a.Send($"a{i}");
            b.Send($"b{i}");
            Assert.Equal($"a{i}", a.ReceiveString());
            Assert.Equal($"b{i}", b.ReceiveString());
        }

        await Wait.UntilAsync(() => proxy.ToBackend == 400);

        static void Echo(ResponseSocket rep)
        {
            using var message = new ZeroMqMessage();
            try
            {
                while (true)
                {
                    rep.Receive(message);
                    rep.Send(message);
                }
            }
            catch (ObjectDisposedException)
            {
            }
        }
    }

    [Fact]
    public async Task Forwarded_messages_are_captured_and_the_control_socket_pauses_resumes_and_stops_the_proxy()
    {
        using var source = new PushSocket();
        using var frontend = new PullSocket();
        using var backend = new PushSocket();
        using var sink = new PullSocket();
        using var capture = new PushSocket();
        using var captured = new PullSocket();
        using var control = new PairSocket();
        using var commander = new PairSocket();
        source.Connect(frontend.Bind(AnyPort));
        backend.Connect(sink.Bind(AnyPort));
        capture.Connect(captured.Bind(AnyPort));
        commander.Connect(control.Bind(AnyPort));
        await using var proxy = ZeroMqProxy.Start(frontend, backend, capture, control);

        source.Send("one", "frame two");
        Assert.Equal("one|frame two", string.Join('|', sink.ReceiveFrames().Select(Encoding.UTF8.GetString)));
        Assert.Equal(2, captured.ReceiveFrames().Length);

        // The first message may be in transit when the pause begins, the second is not.
        proxy.Pause();
        source.Send("under way");
        source.Send("held");
        bool passed = sink.TryReceiveString(out string? first, TimeSpan.FromMilliseconds(50));
        Assert.False(sink.TryReceiveString(out _, TimeSpan.FromMilliseconds(50)));
        commander.Send("RESUME");
        Assert.Equal("under way", passed ? first : sink.ReceiveString());
        Assert.Equal("held", sink.ReceiveString());

        commander.Send("TERMINATE");
        await proxy.Completion.WaitAsync(Guard, Cancellation);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Messages_that_a_paused_or_blocked_proxy_has_not_forwarded_can_be_received_after_its_stop(bool pauses)
    {
        using var source = new PushSocket();
        using var frontend = new PullSocket();
        using var backend = new PushSocket();
        using var sink = new PullSocket();
        source.Connect(frontend.Bind(AnyPort));
        string endpoint = backend.Bind(AnyPort);
        if (pauses)
        {
            sink.Connect(endpoint);
            await Wait.UntilAsync(() => backend.HasRoom);
        }

        var proxy = ZeroMqProxy.Start(frontend, backend);
        if (pauses)
        {
            proxy.Pause();
        }

        // One message may be in transit when a pause begins.
        source.Send("under way");
        source.Send("left");
        bool passed = sink.TryReceiveString(out string? first, TimeSpan.FromMilliseconds(50));
        Assert.False(sink.TryReceiveString(out _, TimeSpan.FromMilliseconds(50)));
        await Wait.UntilAsync(() => frontend.HasMessages);
        await proxy.DisposeAsync();
        await proxy.DisposeAsync();

        Assert.InRange(proxy.ToBackend, passed ? 1 : 0, pauses ? 1 : 0);
        Assert.Equal("under way", passed ? first : (proxy.ToBackend == 1 ? sink : frontend).ReceiveString());
        Assert.Equal("left", frontend.ReceiveString());
        Assert.False(frontend.HasMessages);
    }

    // The marks are so low that there is often no room, and the messages are larger than the marks.
    [Fact]
    public async Task Each_message_is_forwarded_once_and_in_order_by_proxies_that_are_stopped_and_paused()
    {
        const int Count = 3000;
        var few = new ZeroMqSocketOptions { SendHighWaterMark = 7, ReceiveHighWaterMark = 5, SendHighWaterBytes = 4000 };
        using var source = new PushSocket();
        using var frontend = new PullSocket(few);
        using var backend = new PushSocket(few);
        using var sink = new PullSocket(few);
        source.Connect(frontend.Bind(AnyPort));
        backend.Connect(sink.Bind(AnyPort));
        var sending = Task.Run(
            () =>
            {
                byte[] body = new byte[5000];
                for (int i = 0; i < Count; i++)
                {
                    source.Send(BitConverter.GetBytes(i), body.AsSpan(0, i % 10 == 0 ? body.Length : i % 300));
                }
            },
            Cancellation);
        int got = 0;
        var receiving = Task.Run(
            () =>
            {
                using var message = new ZeroMqMessage();
                for (int i = 0; i < Count; i++)
                {
                    sink.Receive(message);
                    Assert.Equal(i, BitConverter.ToInt32(message.First));
                    Assert.Equal(i % 10 == 0 ? 5000 : i % 300, message.Last.Length);
                    Volatile.Write(ref got, i + 1);
                }
            },
            Cancellation);

        long passed = 0;
        while (passed < Count)
        {
            Assert.False(receiving.IsFaulted, receiving.Exception?.ToString());
            var proxy = ZeroMqProxy.Start(frontend, backend);
            int seen = Volatile.Read(ref got);
            await Wait.UntilAsync(() => Volatile.Read(ref got) > seen + 20 || passed + proxy.ToBackend == Count || receiving.IsFaulted);
            proxy.Pause();
            proxy.Resume();
            await proxy.DisposeAsync();
            passed += proxy.ToBackend;
        }

        await Wait.For(receiving);
        await Wait.For(sending);
        Assert.Equal(Count, passed);
    }

    [Fact]
    public async Task A_proxy_whose_capture_socket_is_closed_ends_and_has_forwarded_the_message_once()
    {
        using var source = new PushSocket();
        using var frontend = new PullSocket();
        using var backend = new PushSocket();
        using var sink = new PullSocket();
        using var capture = new PublisherSocket();
        source.Connect(frontend.Bind(AnyPort));
        backend.Connect(sink.Bind(AnyPort));
        await using var proxy = ZeroMqProxy.Start(frontend, backend, capture);
        await capture.CloseAsync();

        source.Send("once");

        await Wait.For(proxy.Completion);
        Assert.Equal("once", sink.ReceiveString());
        Assert.False(frontend.HasMessages);
    }

    [Fact]
    public void A_proxy_refuses_sockets_that_do_not_match()
    {
        using var a = new PushSocket();
        using var b = new PushSocket();
        using var pull = new PullSocket();

        Assert.Throws<ArgumentException>(() => ZeroMqProxy.Start(a, b));
        Assert.Throws<ArgumentException>(() => ZeroMqProxy.Start(pull, a, capture: pull));
        Assert.Throws<ArgumentException>(() => ZeroMqProxy.Start(pull, a, control: b));
    }

    [Fact]
    public void A_proxy_refuses_REQ_and_REP()
    {
        using var push = new PushSocket();
        using var pull = new PullSocket();
        using var rep = new ResponseSocket();
        using var req = new RequestSocket();

        Assert.Throws<ArgumentException>(() => ZeroMqProxy.Start(rep, push));
        Assert.Throws<ArgumentException>(() => ZeroMqProxy.Start(pull, req));
        Assert.Throws<ArgumentException>(() => ZeroMqProxy.Start(pull, push, capture: req));
        Assert.Throws<ArgumentException>(() => ZeroMqProxy.Start(pull, push, control: rep));
    }
}
