using System.Net;
using Broker.Testing;
using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Foreign;
using Broker.ZeroMq.Tests.Sockets;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Interop;

/// <summary>
/// Links to other implementations and to this library that carry large messages, break, or become silent.
/// </summary>
public sealed class LinkTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";
    private const int Largest = 64 << 20;

    // So long that a working link is rarely considered silent: after such a mistake and a reconnect, a handshake and
    // not a heartbeat would be swallowed.
    private static readonly TimeSpan Beat = TimeSpan.FromSeconds(1);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Messages_of_64_MiB_pass_both_ways(bool portable)
    {
        await using var rig = new Rig(portable: portable);
        await using var host = ForeignHost.Take();
        var sizes = new Inbox<(int Size, int Others)>();
        LoopPull pull = rig.Pull(
            onMessage: (ZeroMqPeer _, in ZmtpMessage message) =>
            {
                ReadOnlySpan<byte> body = message.FirstFrame.Body;
                sizes.Add((body.Length, body.IndexOfAnyExcept((byte)7)));
                return true;
            });
        ForeignSocket theirPush = await host.SocketAsync("PUSH");
        await theirPush.ConnectAsync(pull.Bind(AnyPort).ToString());
        Assert.True(await theirPush.SendAsync([Wire.Filled(Largest, 7)]));
        Assert.Equal((Largest, -1), await sizes.TakeAsync());

        LoopPush push = rig.Push();
        ForeignSocket theirPull = await host.SocketAsync("PULL");
        push.Connect(await theirPull.BindAsync(AnyPort));
        byte[] body = Wire.Filled(Largest, 9);
        Assert.True(await rig.OnLoopAsync(() => push.TrySend(body)));
        Assert.Equal($"[[{Largest},9]]", await theirPull.ReceiveAsync());
    }

    [Fact]
    public void A_message_of_64_MiB_passes_between_thread_safe_sockets()
    {
        using var pull = new PullSocket();
        using var push = new PushSocket();
        push.Connect(pull.Bind(AnyPort));
        push.Send(Wire.Filled(Largest, 3));
        push.Send("behind it");
        byte[] got = pull.ReceiveBytes();
        Assert.Equal((Largest, -1), (got.Length, got.AsSpan().IndexOfAnyExcept((byte)3)));
        Assert.Equal("behind it", pull.ReceiveString());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Nothing_is_received_of_a_partial_message_whose_sender_was_killed_and_restarted(bool portable)
    {
        await using var rig = new Rig(portable: portable);
        LoopPull pull = rig.Pull(onMessage: (ZeroMqPeer _, in ZmtpMessage message) =>
        {
            rig.Messages.Add($"{message.BodySize}");
            return true;
        });
        string endpoint = pull.Bind(AnyPort).ToString();
        await using (var host = ForeignHost.Take())
        {
            ForeignSocket push = await host.SocketAsync("PUSH");
            await push.ConnectAsync(endpoint);
            Assert.True(await push.SendAsync([[1]]));
            Assert.Equal("1", await rig.Messages.TakeAsync());

            // From now on nothing is read, so at most the kernel's buffers contain a part of the large message.
            await rig.DoAsync(pull.PauseReceiving);
            Assert.True(await push.SendAsync([Wire.Filled(Largest, 7)]));
            host.Kill();
            await rig.DoAsync(pull.ResumeReceiving);
            await rig.EventAsync(ZeroMqEventKind.PeerDisconnected);
        }

        await using var again = ForeignHost.Take();
        ForeignSocket next = await again.SocketAsync("PUSH");
        await next.ConnectAsync(endpoint);
        Assert.True(await next.SendAsync([[1, 2]]));
        Assert.Equal("2", await rig.Messages.TakeAsync());
        Assert.Empty(rig.Messages.TakeAll());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Both_ends_detect_a_link_that_drops_all_bytes_and_reconnect(bool portable)
    {
        await using var rig = new Rig(portable: portable);
        LoopPull pull = rig.Pull(o => o with { HeartbeatInterval = Beat });
        await using FaultLink link = LinkTo(pull.Bind(AnyPort));
        LoopPush push = rig.Push(o => o with { HeartbeatInterval = Beat });
        push.Connect($"tcp://{link.Address}");
        await ArriveAsync(rig, push);
        link.Stall();
        bool here = false;
        bool there = false;
        while (!here || !there)
        {
            ZeroMqEvent found = await rig.Events.TakeAsync(e => e is { Kind: ZeroMqEventKind.PeerRefused, Reason: "no answer to heartbeats" });
            here |= found.Peer!.IsOutgoing;
            there |= !found.Peer.IsOutgoing;
        }

        MakeAnew(link);
        rig.Messages.TakeAll();
        await ArriveAsync(rig, push);
    }

    [Fact]
    public async Task A_libzmq_subscriber_behind_a_link_that_drops_all_bytes_is_closed_and_reconnects()
    {
        await using var rig = new Rig();
        await using var host = ForeignHost.Take();
        LoopPublisher publisher = rig.Publisher(o => o with { HeartbeatInterval = Beat });
        await using FaultLink link = LinkTo(publisher.Bind(AnyPort));
        ForeignSocket peer = await host.SocketAsync("SUB", ("HEARTBEAT_IVL", 500), ("HEARTBEAT_TIMEOUT", 3000), ("RECONNECT_IVL", 50));
        await peer.SubscribeAsync((byte)'t');
        await peer.ConnectAsync($"tcp://{link.Address}");
        await rig.InterestAsync("+t");
        link.Stall();
        await rig.Events.TakeAsync(e => e is { Kind: ZeroMqEventKind.PeerRefused, Reason: "no answer to heartbeats" });
        await rig.InterestAsync("-t");
        MakeAnew(link);
        await rig.InterestAsync("+t");
    }

    [Fact]
    public async Task Heartbeats_keep_connections_to_a_libzmq_dealer_and_router_open()
    {
        await using var rig = new Rig();
        await using var host = ForeignHost.Take();
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

    private static FaultLink LinkTo(ZeroMqEndpoint endpoint) => FaultLink.Open(new IPEndPoint(IPAddress.Loopback, endpoint.Port));

    /// <summary>Lets bytes pass again. Swallowed bytes are lost, and so are the connections of that time.</summary>
    private static void MakeAnew(FaultLink link)
    {
        link.Cut();
        link.Resume();
    }

    // On a busy machine even a working link may be closed in between; messages in transit are then lost.
    private static async Task ArriveAsync(Rig rig, LoopPush push)
    {
        Task<string> arrival = rig.Messages.TakeAsync();
        while (!arrival.IsCompleted)
        {
            await rig.OnLoopAsync(() => push.TrySend("x"u8));
            await Task.WhenAny(arrival, Task.Delay(20, TestContext.Current.CancellationToken));
        }

        await arrival;
    }
}
