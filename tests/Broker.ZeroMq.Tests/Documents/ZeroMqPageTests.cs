using System.Reflection;
using Broker.Transport;
using Broker.ZeroMq.Loops;

#pragma warning disable IDE0007, IDE0008, IDE1006 // The code is the same as on the page.

namespace Broker.ZeroMq.Tests.Documents;

/// <summary>Compiles and runs the code of docs/zeromq.md.</summary>
public sealed class ZeroMqPageTests
{
    // The first header cell of the second options table.
    private const string OfLoops = "of a loop socket";

    [Fact]
    public void All_code_of_the_page_is_in_this_file() => Assert.Equal(Page.CodeOf("zeromq.md"), Page.ShownIn("ZeroMqPageTests.cs"));

    [Fact]
    public void The_options_table_has_exactly_one_row_per_option()
    {
        string[][] rows = [.. Page.RowsOf("zeromq.md", "Options").TakeWhile(row => row[0] != OfLoops)];
        string[] ofOptions = [.. rows.Where(row => !row[0].EndsWith("of the socket", StringComparison.Ordinal)).SelectMany(row => Page.Quotes(row[0]))];
        string[] there =
        [
            .. Named(typeof(ZeroMqSocketOptions).GetProperties(), ""),
            .. Own(typeof(RequestSocketOptions)),
            .. Own(typeof(RouterSocketOptions)),
            .. Own(typeof(PublisherSocketOptions)),
            .. Own(typeof(XPublisherSocketOptions)),
        ];
        Assert.Equal(there.Order(StringComparer.Ordinal), ofOptions.Order(StringComparer.Ordinal));
        string[] ofSockets = [.. rows.Where(row => row[0].EndsWith("of the socket", StringComparison.Ordinal)).SelectMany(row => Page.Quotes(row[0]))];
        Assert.Equal(["Subscribe", "Unsubscribe", "Connect", "LastEndpoint"], ofSockets);
        Assert.All(ofSockets, name => Assert.NotEmpty(typeof(SubscriberSocket).GetMember(name)));
    }

    [Fact]
    public void The_second_table_has_all_options_of_loop_publishers_and_subscribers_beside_those_of_thread_safe_sockets()
    {
        string[][] rows = [.. Page.RowsOf("zeromq.md", "Options").SkipWhile(row => row[0] != OfLoops).Skip(1)];
        string[] there = [.. Own(typeof(LoopPublisherOptions)), .. Own(typeof(LoopSubscriberOptions))];
        string[] ofThreads =
        [
            .. Named(typeof(ZeroMqSocketOptions).GetProperties(), ""), .. Own(typeof(PublisherSocketOptions)), .. Own(typeof(XPublisherSocketOptions)),
            nameof(XPublisherSocket),
        ];

        Assert.Equal(there.Order(StringComparer.Ordinal), rows.SelectMany(row => Page.Quotes(row[0])).Order(StringComparer.Ordinal));
        Assert.All(rows.SelectMany(row => Page.Quotes(row[2])), name => Assert.Contains(name, ofThreads));
    }

    private static IEnumerable<string> Own(Type type)
        => Named(type.GetProperties(BindingFlags.Public | BindingFlags.Instance | BindingFlags.DeclaredOnly), type.Name + ".");

    private static IEnumerable<string> Named(PropertyInfo[] all, string before) => all.Select(property => before + property.Name);

    [Fact]
    public void The_first_program_of_the_page_runs()
    {
        using var written = new StringWriter();
        var Console = written;

        // shown:
        using var pull = new PullSocket();
        using var push = new PushSocket();
        push.Connect(pull.Bind("tcp://127.0.0.1:*"));
        push.Send("hello");
        Console.WriteLine(pull.ReceiveString());
        // end
        Assert.Equal("hello" + Environment.NewLine, written.ToString());
    }

    [Fact]
    public async Task The_poller_of_the_page_runs()
    {
        using var requests = new ResponseSocket();
        using var work = new PushSocket();
        using var worker = new PullSocket();
        using var client = new RequestSocket();
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        var stopping = stop.Token;
        client.Connect(requests.Bind("tcp://127.0.0.1:*"));
        work.Connect(worker.Bind("tcp://127.0.0.1:*"));
        int sent = 0;
        int ticks = 0;
        var run = Task.Run(Run, stopping);
        client.Send("shout");
        Assert.Equal("SHOUT", client.ReceiveString());
        for (int i = 0; i < 3; i++)
        {
            Assert.Equal("task", worker.ReceiveString());
        }

        await Wait.UntilAsync(() => Volatile.Read(ref ticks) > 1);
        await stop.CancelAsync();
        await Wait.For(run);

        void Run()
        {
            // shown:
            using var poller = new ZeroMqPoller();
            poller.Add(requests, socket =>
            {
                string request = socket.ReceiveString();
                socket.Send(request.ToUpperInvariant());
            });
            poller.AddSender(work, socket =>
            {
                if (!socket.TrySend("task") || ++sent == 3)
                {
                    poller.RemoveSender(socket);
                }
            });
            poller.AddTimer(TimeSpan.FromMilliseconds(5), () => ticks++);
            poller.Run(stopping);
            // end
        }
    }

    [Fact]
    public async Task The_caller_driven_loop_of_the_page_runs()
    {
        using var rep = new ResponseSocket();
        string endpoint = rep.Bind("tcp://127.0.0.1:*");
        var serving = Task.Run(
            () =>
            {
                string asked = rep.ReceiveString();
                rep.Send("world");
                return asked;
            },
            TestContext.Current.CancellationToken);

        // After an await the method may continue on another thread.
        Assert.Equal("world", Ask(endpoint));
        Assert.Equal("hello", await Wait.For(serving));

        static string Ask(string endpoint)
        {
            // shown:
            using var loops = new EventLoopGroup(new EventLoopOptions { CallerDriven = true });
            using var context = new ZeroMqContext(loops);
            using var req = new RequestSocket(context: context);
            req.Connect(endpoint);
            req.Send("hello");
            string reply = req.ReceiveString();
            // end
            return reply;
        }
    }

    [Fact]
    public void The_sockets_in_one_process_of_the_page_run()
    {
        // shown:
        using var context = new ZeroMqContext();
        using var push = new PushSocket(context: context);
        using var pull = new PullSocket(context: context);
        push.Connect("inproc://work");
        pull.Bind("inproc://work");
        push.Send("hello");
        // end
        Assert.Equal("hello", pull.ReceiveString());
    }

    [Fact]
    public void The_options_of_the_page_are_accepted()
    {
        using var written = new StringWriter();
        var Console = TextWriter.Synchronized(written);

        // shown:
        var options = new ZeroMqSocketOptions
        {
            SendHighWaterMark = 5,
            SendTimeout = TimeSpan.FromSeconds(1),
            Linger = TimeSpan.Zero,
            HeartbeatInterval = TimeSpan.FromSeconds(10),
            OnEvent = e => Console.WriteLine($"{e.Kind} {e.Endpoint} {e.Reason}"),
        };
        using var push = new PushSocket(options);
        // end
        string endpoint = push.Bind("tcp://127.0.0.1:*");
        Assert.Equal($"Listening {endpoint} {Environment.NewLine}", written.ToString());
    }

    [Fact]
    public async Task The_proxy_of_the_page_forwards_messages()
    {
        using var pub = new XPublisherSocket();
        using var sub = new SubscriberSocket();
        string publisher = pub.Bind("tcp://127.0.0.1:*");
        sub.Subscribe("t");

        // shown:
        using var front = new XSubscriberSocket();
        using var back = new XPublisherSocket();
        front.Connect(publisher);
        string forSubscribers = back.Bind("tcp://127.0.0.1:*");
        await using var proxy = ZeroMqProxy.Start(front, back);
        // end
        sub.Connect(forSubscribers);
        Assert.Equal([1, (byte)'t'], pub.ReceiveBytes());
        pub.Send("t1");
        Assert.Equal("t1", sub.ReceiveString());
    }

    [Fact]
    public void The_manual_publisher_of_the_page_runs()
    {
        using var sub = new SubscriberSocket();

        // shown:
        using var pub = new XPublisherSocket(new XPublisherSocketOptions { Manual = true });
        string endpoint = pub.Bind("tcp://127.0.0.1:*");
        sub.Subscribe("weather");
        sub.Connect(endpoint);
        using var asked = new ZeroMqMessage();
        pub.Receive(asked);
        pub.Subscribe(asked.Peer!, "weather.oslo");
        // end
        Wait.Until(() =>
        {
            pub.Send("weather.bergen");
            pub.Send("weather.oslo");
            return sub.TryReceive(asked, TimeSpan.FromMilliseconds(10));
        });
        Assert.Equal("weather.oslo", asked.GetString(0));
    }
}
