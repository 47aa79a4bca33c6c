#pragma warning disable IDE0018, IDE0039, IDE0007, IDE0008 // The code is written as on the page.

namespace Broker.ZeroMq.Tests.Documents;

/// <summary>
/// The table of docs/zeromq.md for porting NetMQ and clrzmq programs. The programs below contain its code word for word
/// and run it; only endpoints are replaced by variables.
/// </summary>
public sealed class MovedProgramTests
{
    private const string Any = "tcp://127.0.0.1:*";

    private static readonly (string Shown, string Here)[] Variables = [("\"tcp://*:5557\"", "Any"), ("\"tcp://host:5557\"", "endpoint")];

    [Fact]
    public void Each_code_line_of_the_table_is_in_the_programs()
    {
        string here = Page.SourceOf("MovedProgramTests.cs");
        here = here[here.IndexOf("// Programs", StringComparison.Ordinal)..];
        string[][] rows = Page.RowsOf("zeromq.md", "A NetMQ or clrzmq program, line by line");
        Assert.Equal(28, rows.Length);
        foreach (string code in rows.SelectMany(row => Page.Quotes(row[1])))
        {
            string text = Variables.Aggregate(code, (t, v) => t.Replace(v.Shown, v.Here, StringComparison.Ordinal));
            foreach (string part in text.Split(['…', ';'], StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries).Where(part => part != ")"))
            {
                Assert.Contains(part, here, StringComparison.Ordinal);
            }
        }
    }

    // Programs

    [Fact]
    public void Programs_that_bind_and_connect_run()
    {
        string endpoint = Bound(out var push);
        using (push)
        {
            using var s = new PullSocket();
            s.Connect(endpoint);
            push.Send("hello");
            Assert.Equal("hello", s.ReceiveString());
        }

        static string Bound(out PushSocket push)
        {
            var s = new PushSocket();
            s.Bind(Any);
            push = s;
            return s.LastEndpoint!;
        }
    }

    [Fact]
    public void Programs_that_send_and_receive_run()
    {
        byte[] id = [7];
        var events = new List<string>();
        var options = new ZeroMqSocketOptions { RoutingId = id, OnEvent = e => Note(e.Kind.ToString()), SendHighWaterMark = 5 };
        var marked = new ZeroMqSocketOptions { SendHighWaterMark = 5 };
        Assert.Equal((nameof(ZeroMqSocketOptions.RoutingId), nameof(ZeroMqSocketOptions.OnEvent)), ("RoutingId", "OnEvent"));
        var brief = new ZeroMqSocketOptions { Linger = TimeSpan.Zero };
        Assert.Equal(TimeSpan.Zero, brief.Linger);
        using var socket = new PairSocket(options);
        using var other = new PairSocket(marked);
        other.Connect(socket.Bind(Any));
        var timeout = Wait.Limit;
        string a = "a";
        string b = "b";
        byte[] x = [1];
        other.Send("begin");
        Assert.Equal("begin", socket.ReceiveString());
        socket.Send("x");
        socket.Send(a, b);
        Assert.True(socket.TrySend(x, timeout));
        Assert.Equal("x", other.ReceiveString());
        using var message = new ZeroMqMessage();
        other.Receive(message);
        Assert.Equal(("a", "b"), (message.GetString(0), message.GetString(1)));
        Assert.Equal(x, other.ReceiveBytes());

        message.Clear();
        message.Append("two");
        message.Prepend("one"u8);
        Assert.Equal("one"u8.ToArray(), message.First.ToArray());
        Assert.Equal("two"u8.ToArray(), message[1].ToArray());
        message.RemoveFirst();
        other.Send(message);
        other.Send("bytes");
        other.Send("buffer");
        other.Send("text");
        socket.Receive(message);
        Assert.Equal("two", message.GetString(0));
        Assert.Equal("bytes"u8.ToArray(), socket.ReceiveBytes());
        byte[] buffer = new byte[16];
        Assert.Equal(6, socket.Receive(buffer));
        string? s;
        Assert.True(socket.TryReceiveString(out s, timeout));
        Assert.Equal("text", s);
        other.Send("buffer");
        int size;
        Assert.True(socket.TryReceive(buffer, out size, timeout));
        Assert.Equal("buffer".Length, size);
        other.Send("message");
        Assert.True(socket.TryReceive(message, timeout));
        Assert.Equal("message", message.GetString(0));
        socket.Send(message);
        Assert.Equal("message", other.ReceiveString());
        lock (events)
        {
            Assert.Contains("PeerConnected", events);
        }

        void Note(string what)
        {
            lock (events)
            {
                events.Add(what);
            }
        }
    }

    [Fact]
    public async Task Programs_with_a_poller_and_a_proxy_run()
    {
        using var context = new ZeroMqContext();
        using var a = new PairSocket(context: context);
        using var b = new PairSocket(context: context);
        a.Bind("inproc://name");
        b.Connect("inproc://name");
        b.Send("in");
        using var poller = new ZeroMqPoller();
        var interval = TimeSpan.FromMilliseconds(1);
        string got = "";
        int sent = 0;
        int times = 0;
        bool posted = false;
        poller.Add(a, socket => got = socket.ReceiveString());
        poller.AddSender(a, socket =>
        {
            sent += socket.TrySend("out"u8) ? 1 : 0;
            poller.RemoveSender(socket);
        });
        Action action = () =>
        {
            posted = true;
            if (got.Length > 0 && ++times > 2)
            {
                poller.Stop();
            }
        };
        poller.AddTimer(interval, action);
        poller.Post(action);
        poller.Run(TestContext.Current.CancellationToken);
        Assert.Equal(("in", 1, true), (got, sent, posted));
        Assert.Equal("out", b.ReceiveString());

        using var front = new PullSocket();
        using var back = new PushSocket();
        using var push = new PushSocket();
        using var pull = new PullSocket();
        push.Connect(front.Bind(Any));
        pull.Connect(back.Bind(Any));
        await using var proxy = ZeroMqProxy.Start(front, back);
        push.Send("through");
        Assert.Equal("through", pull.ReceiveString());
    }
}
