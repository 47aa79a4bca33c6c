using System.Diagnostics;
using System.Text;
using Broker.ZeroMq.Tests.Foreign;
using Broker.ZeroMq.Tests.Sockets;

namespace Broker.ZeroMq.Tests.Interop;

/// <summary>Options that only change what this side does, with libzmq peers.</summary>
public sealed class SocketOptionTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    private static readonly byte[] Hello = "hello"u8.ToArray();

    [Theory]
    [InlineData("PUSH", "PULL")]
    [InlineData("DEALER", "DEALER")]
    [InlineData("PAIR", "PAIR")]
    [InlineData("ROUTER", "DEALER")]
    public async Task A_hello_message_is_the_first_of_each_connection(string ours, string theirs)
    {
        await using var host = ForeignHost.Take();
        var options = new RouterSocketOptions { HelloMessage = Hello };
        using MessageSocket socket = ours switch
        {
            "PUSH" => new PushSocket(options),
            "DEALER" => new DealerSocket(options),
            "PAIR" => new PairSocket(options),
            _ => new RouterSocket(options),
        };
        string endpoint = socket.Bind(AnyPort);
        for (int round = 0; round < 2; round++)
        {
            ForeignSocket peer = await host.SocketAsync(theirs, ("IDENTITY", "peer"));
            await peer.ConnectAsync(endpoint);
            Assert.Equal(Shown("hello"), await peer.ReceiveAsync());
            Send(socket, "next");
            Assert.Equal(Shown("next"), await peer.ReceiveAsync());
            await peer.CloseAsync();
            await Wait.UntilAsync(() => socket.ConnectionCount == 0, "the peer to leave");
        }
    }

    [Fact]
    public void A_hello_or_disconnect_message_is_refused_where_it_makes_no_sense()
    {
        var hello = new ZeroMqSocketOptions { HelloMessage = Hello };
        Assert.Contains("hello message", Assert.Throws<ArgumentException>(() => new PublisherSocket(hello)).Message, StringComparison.Ordinal);
        Assert.Throws<ArgumentException>(() => new PullSocket(hello));
        Assert.Throws<ArgumentException>(() => new SubscriberSocket(hello));
        var farewell = new ZeroMqSocketOptions { DisconnectMessage = Hello };
        Assert.Contains("disconnect message", Assert.Throws<ArgumentException>(() => new PushSocket(farewell)).Message, StringComparison.Ordinal);
        Assert.Throws<ArgumentException>(() => new RouterSocket(new RouterSocketOptions { DisconnectMessage = Hello, NotifyDisconnect = true }));
        Assert.Throws<ArgumentOutOfRangeException>(() => new PullSocket(new ZeroMqSocketOptions { TypeOfService = 256 }));
        Assert.Throws<ArgumentOutOfRangeException>(() => new PullSocket(new ZeroMqSocketOptions { SendBufferSize = 0 }));
        Assert.Throws<ArgumentOutOfRangeException>(() => new PullSocket(new ZeroMqSocketOptions { ReceiveBufferSize = -1 }));
    }

    [Fact]
    public async Task A_router_is_notified_of_its_peers()
    {
        await using var host = ForeignHost.Take();
        using var router = new RouterSocket(new RouterSocketOptions { NotifyConnect = true, NotifyDisconnect = true, ReceiveTimeout = Wait.Limit });
        string endpoint = router.Bind(AnyPort);
        ForeignSocket dealer = await host.SocketAsync("DEALER", ("IDENTITY", "one"));
        await dealer.ConnectAsync(endpoint);
        Assert.Equal(["one", ""], Receive(router));
        await dealer.SendAsync([[65]]);
        Assert.Equal(["one", "A"], Receive(router));
        await dealer.CloseAsync();
        Assert.Equal(["one", ""], Receive(router));
        Assert.False(router.HasMessages);
    }

    [Theory]
    [InlineData("PULL", "PUSH")]
    [InlineData("DEALER", "DEALER")]
    [InlineData("PAIR", "PAIR")]
    public async Task A_disconnect_message_follows_the_last_message_of_a_peer(string ours, string theirs)
    {
        await using var host = ForeignHost.Take();
        var options = new ZeroMqSocketOptions { DisconnectMessage = "gone"u8.ToArray(), ReceiveTimeout = Wait.Limit };
        using MessageSocket socket = ours switch
        {
            "PULL" => new PullSocket(options),
            "DEALER" => new DealerSocket(options),
            _ => new PairSocket(options),
        };
        string endpoint = socket.Bind(AnyPort);
        ForeignSocket peer = await host.SocketAsync(theirs);
        await peer.ConnectAsync(endpoint);
        await peer.SendAsync([[65]]);
        Assert.Equal("A", Receive(socket));
        await peer.CloseAsync();
        Assert.Equal("gone", Receive(socket));
    }

    [Fact]
    public async Task A_router_gives_the_peer_that_it_connects_to_a_routing_id()
    {
        await using var host = ForeignHost.Take();
        int port = FreePort.Next();
        using var router = new RouterSocket(new RouterSocketOptions { Mandatory = true, ReceiveTimeout = Wait.Limit });

        // Before the peer has bound, and whatever it announces.
        router.Connect($"tcp://127.0.0.1:{port}", "server"u8);
        Send(router, "first", to: "server");
        Assert.Throws<ArgumentException>(() => router.Connect(AnyPort, "server"u8));
        Assert.Throws<ArgumentException>(() => router.Connect("tcp://127.0.0.1:1", "server"u8));
        Assert.Throws<ArgumentException>(() => router.Connect("tcp://127.0.0.1:1", []));
        Assert.Throws<ArgumentException>(() => router.Connect("tcp://127.0.0.1:1", new byte[256]));
        for (int round = 0; round < 2; round++)
        {
            ForeignSocket dealer = await host.SocketAsync("DEALER", ("IDENTITY", $"other {round}"));
            await dealer.BindAsync($"tcp://127.0.0.1:{port}");
            Assert.Equal(Shown(round == 0 ? "first" : "again"), await dealer.ReceiveAsync());
            await dealer.SendAsync([[65]]);
            Assert.Equal(["server", "A"], Receive(router));
            await dealer.CloseAsync();
            await Wait.UntilAsync(() => router.GetCounts().Peers == 0, "the peer to leave");
            Send(router, "again", to: "server");
        }
    }

    [Fact]
    public async Task The_second_holder_of_a_routing_id_is_told_why_it_is_refused_and_comes_in_later()
    {
        var events = new Inbox<ZeroMqEvent>();
        using var router = new RouterSocket();
        string endpoint = router.Bind(AnyPort);
        using var second = new DealerSocket(new ZeroMqSocketOptions { RoutingId = "id"u8.ToArray(), OnEvent = events.Add });
        using (var first = new DealerSocket(new ZeroMqSocketOptions { RoutingId = "id"u8.ToArray() }))
        {
            first.Connect(endpoint);
            first.Send("1");
            Assert.Equal(["id", "1"], Receive(router));
            second.Connect(endpoint);
            second.Send("2");
            Assert.Equal(
                "the peer refused the connection: its-routing-id-is-in-use",
                (await events.TakeAsync(e => e.Kind == ZeroMqEventKind.PeerRefused)).Reason);
        }

        Assert.Equal(["id", "2"], Receive(router));
        Assert.NotEqual(0, router.GetCounts().PeersRefused);
        Assert.NotEqual(0, second.GetCounts().PeersRefused);
    }

    [Fact]
    public async Task A_libzmq_peer_with_a_used_routing_id_still_connects_later()
    {
        await using var host = ForeignHost.Take();
        var events = new Inbox<ZeroMqEvent>();
        using var router = new RouterSocket(new RouterSocketOptions { OnEvent = events.Add });
        string endpoint = router.Bind(AnyPort);
        ForeignSocket first = await host.SocketAsync("DEALER", ("IDENTITY", "id"));
        await first.ConnectAsync(endpoint);
        await first.SendAsync([[1]]);
        Assert.Equal(["id", "\u0001"], Receive(router));
        ForeignSocket second = await host.SocketAsync("DEALER", ("IDENTITY", "id"));
        await second.ConnectAsync(endpoint);
        await second.SendAsync([[2]]);
        Assert.Equal("its routing id is in use", (await events.TakeAsync(e => e.Kind == ZeroMqEventKind.PeerRefused)).Reason);
        await first.CloseAsync();
        Assert.Equal(["id", "\u0002"], Receive(router));
    }

    [Theory]
    [InlineData("tcp://127.0.0.1:*")]
    [InlineData("tcp://[::1]:*")]
    public async Task The_buffers_of_the_kernel_and_the_type_of_service_are_as_asked(string endpoint)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && File.Exists("/usr/bin/ss"), "It uses ss.");
        var options = new ZeroMqSocketOptions { SendBufferSize = 20_000, ReceiveBufferSize = 30_000, TypeOfService = 0x10 };
        using var pull = new PullSocket(options);
        using var push = new PushSocket(options);
        string bound = pull.Bind(endpoint);
        push.Connect(bound);
        push.Send("through");
        Assert.Equal("through", pull.ReceiveString());
        int port = ZeroMqEndpoint.Parse(bound).Port;
        string said = await SocketStatisticsAsync($"( sport = :{port} or dport = :{port} )");

        // Linux doubles the sizes. Both ends have the options.
        Assert.Equal(2, said.Split("rb60000,").Length - 1);
        Assert.Equal(2, said.Split("tb40000,").Length - 1);
        Assert.Equal(2, said.Split(endpoint.Contains('[', StringComparison.Ordinal) ? "class:0x10" : "tos:0x10").Length - 1);
    }

    private static async Task<string> SocketStatisticsAsync(string filter)
    {
        using Process ss = Process.Start(new ProcessStartInfo("/usr/bin/ss", ["-tnmH", "--tos", "state", "established", filter]) { RedirectStandardOutput = true })!;
        string said = await ss.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
        await ss.WaitForExitAsync(TestContext.Current.CancellationToken);
        return said;
    }

    private static void Send(MessageSocket socket, string body, string to = "peer")
    {
        using var message = new ZeroMqMessage();
        if (socket is RouterSocket)
        {
            message.Append(to);
        }

        message.Append(body);
        switch (socket)
        {
            case PushSocket push:
                push.Send(message);
                break;
            case DealerSocket dealer:
                dealer.Send(message);
                break;
            case PairSocket pair:
                pair.Send(message);
                break;
            case RouterSocket router:
                router.Send(message);
                break;
        }
    }

    private static string Receive(MessageSocket socket) => socket switch
    {
        PullSocket pull => pull.ReceiveString(),
        DealerSocket dealer => dealer.ReceiveString(),
        _ => ((PairSocket)socket).ReceiveString(),
    };

    private static string[] Receive(RouterSocket router) => [.. router.ReceiveFrames().Select(Encoding.Latin1.GetString)];

    private static string Shown(string text) => ForeignSocket.Show(Encoding.UTF8.GetBytes(text)).ToJsonString();
}
