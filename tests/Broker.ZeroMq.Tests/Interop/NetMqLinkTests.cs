using System.Net;
using System.Net.NetworkInformation;
using Broker.Testing;
using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Foreign;
using Broker.ZeroMq.Tests.Sockets;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Interop;

/// <summary>
/// Links to NetMQ that break or become silent, programs that are killed and started again, and NetMQ's close.
/// </summary>
public sealed class NetMqLinkTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    private static readonly TimeSpan Beat = TimeSpan.FromSeconds(1);

    [Theory]
    [InlineData(true, true)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(false, false)]
    public async Task Every_pair_goes_on_after_one_side_has_ended_and_started_again(bool weStay, bool weBind)
    {
        (ForeignKind stays, ForeignKind ends) = weStay ? (ForeignKind.Ours, ForeignKind.NetMq) : (ForeignKind.NetMq, ForeignKind.Ours);
        (string Stays, string Ends)[] pairs = [.. OurSocket.Pairs.Select(pair => weStay ? pair : (pair.Theirs, pair.Ours))];
        bool stayingBinds = weStay == weBind;
        string[] endpoints = [.. pairs.Select(_ => FreePort.NextAddress())];
        await using var staying = ForeignHost.Take(stays);
        ConversationEnd[] there = await MeetAsync(staying, "stays", [.. pairs.Select(pair => pair.Stays)], endpoints, stayingBinds);
        foreach (ConversationEnd end in there)
        {
            await end.Socket.MonitorAsync();
        }

        for (int round = 0; round < 2; round++)
        {
            bool again = round > 0;
            await using var ending = ForeignHost.Take(ends);
            ConversationEnd[] here = await MeetAsync(ending, "ends", [.. pairs.Select(pair => pair.Ends)], endpoints, !stayingBinds);
            for (int i = 0; i < pairs.Length; i++)
            {
                if (again && Keeps(there[i]) && there[i].Type == "ROUTER")
                {
                    Assert.Equal(ForeignSocket.Show("ends"u8.ToArray(), "ends"u8.ToArray()).ToJsonString(), await there[i].Socket.ReceiveAsync());
                }

                var conversation = new Conversation(there[i], here[i]);
                await conversation.JoinAsync(again && conversation.Answers == there[i], again && Keeps(conversation.Asks));
                await conversation.ExchangeAsync([Wire.Ascii($"round {round}")]);
                await conversation.ExchangeAsync([[], Wire.Filled(1000)]);
            }

            if (weStay)
            {
                ending.Kill();
            }
            else
            {
                await ending.DisposeAsync();
            }

            foreach (ConversationEnd end in there)
            {
                await LostAsync(end, weStay, Keeps(end));
            }
        }

        // A NetMQ socket that connects regards the next peer as the one that it has lost: an XPUB keeps the
        // subscriptions and does not report equal ones again, and a ROUTER takes the identity of a known peer for a
        // message.
        bool Keeps(ConversationEnd end) => !weStay && !stayingBinds && there.Contains(end);
    }

    [Fact]
    public async Task A_NetMQ_subscriber_behind_a_link_that_drops_all_bytes_is_detected_from_both_ends_and_reconnects()
    {
        await using var rig = new Rig();
        await using var host = ForeignHost.Take(ForeignKind.NetMq);
        LoopPublisher publisher = rig.Publisher(o => o with { HeartbeatInterval = Beat });
        await using var link = FaultLink.Open(new IPEndPoint(IPAddress.Loopback, publisher.Bind(AnyPort).Port));
        ForeignSocket peer = await host.SocketAsync("SUB", ("HEARTBEAT_IVL", 500), ("HEARTBEAT_TIMEOUT", 1000), ("RECONNECT_IVL", 50));
        await peer.MonitorAsync();
        await peer.SubscribeAsync((byte)'t');
        await peer.ConnectAsync($"tcp://{link.Address}");
        await rig.InterestAsync("+t");

        // The publisher begins with its own heartbeats when the first one of NetMQ has come.
        await Wait.UntilAsync(() => link.GetPassedBytes(LinkDirection.ToClient) > HandshakeAndPong, "a PONG");
        link.Stall();
        await rig.Events.TakeAsync(e => e is { Kind: ZeroMqEventKind.PeerRefused, Reason: "no answer to heartbeats" });
        await rig.InterestAsync("-t");
        Assert.NotNull(await peer.EventAsync("EVENT_DISCONNECTED"));
        link.Cut();
        link.Resume();
        await rig.InterestAsync("+t");
    }

    [Fact]
    public async Task Heartbeats_of_both_sides_keep_connections_to_NetMQ_open()
    {
        await using var rig = new Rig();
        await using var host = ForeignHost.Take(ForeignKind.NetMq);
        LoopDealer dealer = rig.Dealer(o => o with
        {
            RoutingId = "me"u8.ToArray(),
            HeartbeatInterval = TimeSpan.FromMilliseconds(20),
            HeartbeatTimeout = TimeSpan.FromMinutes(2),
            HeartbeatTtl = TimeSpan.FromMinutes(2),
        });
        ForeignSocket router = await host.SocketAsync("ROUTER", ("HEARTBEAT_IVL", 20), ("HEARTBEAT_TIMEOUT", 120_000), ("HEARTBEAT_TTL", 120_000));
        dealer.Connect(await router.BindAsync(AnyPort));
        for (int i = 0; i < 5; i++)
        {
            await rig.DoAsync(() => Assert.True(dealer.TrySend("there"u8)));
            Assert.Equal(ForeignSocket.Show("me"u8.ToArray(), "there"u8.ToArray()).ToJsonString(), await router.ReceiveAsync());
            await router.SendAsync(["me"u8.ToArray(), "back"u8.ToArray()]);
            Assert.Equal(LibzmqPeer.Show("back"u8.ToArray()), await rig.Messages.TakeAsync());
            await Task.Delay(100, TestContext.Current.CancellationToken);
        }

        Assert.DoesNotContain(rig.Events.TakeAll(), e => e.Kind is ZeroMqEventKind.PeerDisconnected or ZeroMqEventKind.PeerRefused);
    }

    [Fact]
    public async Task What_a_closing_NetMQ_PUSH_still_has_in_its_kernel_is_lost_whatever_its_linger_time()
    {
        const int Messages = 1000;
        await using var rig = new Rig();
        await using var host = ForeignHost.Take(ForeignKind.NetMq);
        LoopPull pull = rig.Pull();
        ForeignSocket push = await host.SocketAsync("PUSH", ("LINGER", 60_000), ("SNDHWM", 0));
        ZeroMqEndpoint endpoint = pull.Bind(AnyPort);
        await push.ConnectAsync(endpoint.ToString());
        Assert.True(await push.SendAsync([[1]]));
        Assert.Equal("01", await rig.Messages.TakeAsync());
        await rig.DoAsync(pull.PauseReceiving);
        Assert.Equal(Messages, await push.SendNumbersAsync(Messages, 1000));
        await push.CloseAsync();
        // The portable poller notices a reset only when it reads again.
        await Wait.UntilAsync(() => !IPGlobalProperties.GetIPGlobalProperties().GetActiveTcpConnections()
            .Any(c => c.LocalEndPoint.Port == endpoint.Port && c.State == TcpState.Established));
        await rig.DoAsync(pull.ResumeReceiving);
        await rig.EventAsync(ZeroMqEventKind.PeerDisconnected);

        Assert.InRange(rig.Messages.TakeAll().Count, 0, Messages - 1);
    }

    [Fact]
    public async Task An_ipc_endpoint_of_NetMQ_is_a_port_that_only_NetMQ_finds()
    {
        const string Endpoint = "ipc:///tmp/netmq-has-no-files";
        await using var host = ForeignHost.Take(ForeignKind.NetMq);
        ForeignSocket pull = await host.SocketAsync("PULL");
        await pull.BindAsync(Endpoint);
        ForeignSocket theirPush = await host.SocketAsync("PUSH");
        await theirPush.ConnectAsync(Endpoint);
        await theirPush.SendAsync([[1]]);
        Assert.Equal("""["01"]""", await pull.ReceiveAsync());

        var events = new Inbox<ZeroMqEvent>();
        using var push = new PushSocket(new ZeroMqSocketOptions { OnEvent = events.Add, Linger = TimeSpan.Zero });
        push.Connect(Endpoint);
        string? reason = (await events.TakeAsync(e => e.Kind == ZeroMqEventKind.ConnectFailed)).Reason;
        Assert.Contains("NetMQ creates none", reason, StringComparison.Ordinal);
    }

    // The greeting, READY of a PUB, and PONG without a context.
    private static int HandshakeAndPong => Wire.Join(Wire.Greeting(), Wire.Ready("PUB"), Wire.Command("PONG")).Length - 1;

    private static async Task<ConversationEnd[]> MeetAsync(ForeignHost host, string id, string[] types, string[] endpoints, bool binds)
    {
        var ends = new ConversationEnd[types.Length];
        for (int i = 0; i < types.Length; i++)
        {
            ends[i] = await ConversationEnd.MakeAsync(host, types[i], id, ("RECONNECT_IVL_MAX", 200));
            await (binds ? ends[i].Socket.BindAsync(endpoints[i]) : ends[i].Socket.ConnectAsync(endpoints[i]));
        }

        return ends;
    }

    // Waits until the socket knows that it has lost its peer: a message before would be lost with the peer.
    private static async Task LostAsync(ConversationEnd end, bool isOurs, bool keepsSubscriptions)
    {
        if (isOurs)
        {
            await Wait.UntilAsync(async () => await end.Socket.PeersAsync() == 0, "the end of the peer");
        }
        else
        {
            Assert.NotNull(await end.Socket.EventAsync("EVENT_DISCONNECTED"));
        }

        if (end.Type == "XPUB" && !keepsSubscriptions)
        {
            Assert.Equal("""["00"]""", await end.Socket.ReceiveAsync());
        }
    }
}
