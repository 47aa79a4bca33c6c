using System.Text;

namespace Broker.ZeroMq.Tests.Threads;

public sealed class ProxyTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    private static readonly TimeSpan Guard = TimeSpan.FromSeconds(60);

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
        foreach (var rep in (ResponseSocket[])[first, second])
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

        Assert.Equal(400, proxy.ToBackend);

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
    public async Task What_passes_is_captured_and_the_control_socket_pauses_resumes_and_ends_it()
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

        proxy.Pause();
        source.Send("held");
        Assert.False(sink.TryReceiveString(out _, TimeSpan.FromMilliseconds(50)));
        commander.Send("RESUME");
        Assert.Equal("held", sink.ReceiveString());

        commander.Send("TERMINATE");
        await proxy.Completion.WaitAsync(Guard, Cancellation);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task What_was_taken_is_passed_on_though_the_proxy_is_stopped(bool pauses)
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
            Assert.True(SpinWait.SpinUntil(() => backend.HasRoom, Guard));
        }

        var proxy = ZeroMqProxy.Start(frontend, backend);
        if (pauses)
        {
            proxy.Pause();
        }

        source.Send("in its hand");
        Assert.False(sink.TryReceiveString(out _, TimeSpan.FromMilliseconds(50)));
        await proxy.DisposeAsync();
        await proxy.DisposeAsync();
        sink.Connect(endpoint);
        if (!pauses)
        {
            // Without room it was not taken.
            Assert.Equal("in its hand", frontend.ReceiveString());
            return;
        }

        Assert.Equal("in its hand", sink.ReceiveString());
        Assert.Equal(1, proxy.ToBackend);
    }

    [Fact]
    public void Sockets_that_cannot_be_joined_are_refused()
    {
        using var a = new PushSocket();
        using var b = new PushSocket();
        using var pull = new PullSocket();

        Assert.Throws<ArgumentException>(() => ZeroMqProxy.Start(a, b));
        Assert.Throws<ArgumentException>(() => ZeroMqProxy.Start(pull, a, capture: pull));
        Assert.Throws<ArgumentException>(() => ZeroMqProxy.Start(pull, a, control: b));
    }
}
