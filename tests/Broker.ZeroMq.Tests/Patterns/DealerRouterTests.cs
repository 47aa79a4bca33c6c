using System.Text;
using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Sockets;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Patterns;

/// <summary>RFC 28, "The DEALER Socket Type" and "The ROUTER Socket Type".</summary>
public sealed class DealerRouterTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    public static TheoryData<bool> Pollers => [false, true];

    public static TheoryData<RigTransport> Transports => Rig.Transports;

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task Rfc28_a_dealer_shall_route_to_available_peers_in_turn_and_receive_from_all(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        LoopDealer dealer = rig.Dealer();
        for (int i = 0; i < 3; i++)
        {
            string name = $"{i}";
            LoopRouter router = null!;
            router = rig.Router(onMessage: (ZeroMqPeer peer, in ZmtpMessage message) =>
            {
                Assert.Equal(RouteResult.Sent, router.SendTo(peer.RoutingId.Span, Wire.Ascii(name), message.FirstFrame.Body));
                return true;
            });
            dealer.Connect(router.Bind(rig.AnyPort).ToString());
        }

        await rig.ConnectedAsync(3);
        await rig.DoAsync(() =>
        {
            for (int i = 0; i < 9; i++)
            {
                Assert.True(dealer.TrySend(Wire.Ascii($"{i}")));
            }
        });
        var answers = new List<string>();
        for (int i = 0; i < 9; i++)
        {
            answers.Add(await rig.Messages.TakeAsync());
        }

        Assert.Equal(Enumerable.Range(0, 9).Select(i => LibzmqPeer.Show(Wire.Ascii($"{i % 3}"), Wire.Ascii($"{i}"))), answers.Order(ByLast));
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task Rfc28_a_dealer_shall_refuse_messages_when_no_peer_is_available_and_discard_none(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        LoopRouter router = rig.Router();
        LoopDealer dealer = rig.Dealer(o => o with { SendHighWaterMark = 20 });
        var writable = new Inbox<int>();
        dealer.OnWritable = () => writable.Add(1);
        dealer.Connect(router.Bind(rig.AnyPort).ToString());
        await rig.ConnectedAsync();
        await rig.DoAsync(router.PauseReceiving);
        int sent = 0;
        int told = 0;
        for (int refused = 0; refused < 20;)
        {
            bool taken = await rig.OnLoopAsync(() => dealer.TrySend(Wire.Ascii($"{sent}"), new byte[50_000]));
            told += !taken && refused == 0 ? 1 : 0;
            sent += taken ? 1 : 0;
            refused = taken ? 0 : refused + 1;
            await Task.Delay(taken ? 0 : 5, TestContext.Current.CancellationToken);
        }

        await rig.DoAsync(router.ResumeReceiving);
        for (int i = 0; i < sent; i++)
        {
            Assert.Equal(LibzmqPeer.Show(Wire.Ascii($"{i}")), (await rig.Messages.TakeAsync()).Split(',')[0]);
        }

        for (int i = 0; i < told; i++)
        {
            await writable.TakeAsync();
        }

        Assert.Empty(writable.TakeAll());
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task Rfc28_a_router_shall_generate_a_unique_id_of_five_bytes_that_begins_with_0_for_each_peer_without_one(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        var ids = new Inbox<string>();
        LoopRouter router = rig.Router(onMessage: (ZeroMqPeer peer, in ZmtpMessage _) =>
        {
            ids.Add(Convert.ToHexString(peer.RoutingId.Span));
            return true;
        });
        string endpoint = router.Bind(rig.AnyPort).ToString();
        for (int i = 0; i < 5; i++)
        {
            LoopDealer dealer = rig.Dealer();
            dealer.Connect(endpoint);
            await rig.DoAsync(() => Assert.True(dealer.TrySend("x"u8)));
        }

        var seen = new HashSet<string>();
        for (int i = 0; i < 5; i++)
        {
            string id = await ids.TakeAsync();
            Assert.True(seen.Add(id));
            Assert.Equal(10, id.Length);
            Assert.StartsWith("00", id, StringComparison.Ordinal);
        }
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task Rfc28_a_router_shall_send_to_the_peer_with_the_id_in_the_first_frame(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        var got = new Inbox<string>();
        LoopRouter router = rig.Router();
        string endpoint = router.Bind(rig.AnyPort).ToString();
        foreach (string name in (string[])["anna", "bert"])
        {
            rig.Dealer(
                o => o with { RoutingId = Wire.Ascii(name) },
                (ZeroMqPeer _, in ZmtpMessage message) =>
                {
                    got.Add($"{name} {Encoding.ASCII.GetString(message.FirstFrame.Body)} {message.FrameCount}");
                    return true;
                }).Connect(endpoint);
        }

        await rig.ConnectedAsync(2);
        byte[] encoded = Wire.Message(Wire.Ascii("anna"), Wire.Ascii("3"), [], []);
        await rig.DoAsync(() =>
        {
            Assert.Equal(RouteResult.Sent, router.SendTo("bert"u8, "1"u8));
            Assert.Equal(RouteResult.Sent, router.SendTo("anna"u8, "2"u8, []));
            Assert.Equal(RouteResult.Sent, Routed(router, encoded));
        });
        string[] all = [await got.TakeAsync(), await got.TakeAsync(), await got.TakeAsync()];
        Assert.Equal(["anna 2 2", "anna 3 3", "bert 1 1"], all.Order());
    }

    [Fact]
    public async Task Rfc28_a_router_shall_drop_or_refuse_messages_without_a_peer_as_configured()
    {
        await using var rig = new Rig();
        LoopRouter plain = rig.Router();
        LoopRouter mandatory = rig.Router(o => o with { Mandatory = true });
        await rig.DoAsync(() =>
        {
            Assert.Equal(RouteResult.Dropped, plain.SendTo("nobody"u8, "1"u8));
            Assert.Equal(RouteResult.Unroutable, mandatory.SendTo("nobody"u8, "1"u8));
            Assert.Equal(RouteResult.Unroutable, Routed(mandatory, Wire.Message(Wire.Ascii("nobody"))));
        });
        Assert.Equal(1, plain.MessagesDropped);
        Assert.Equal(0, mandatory.MessagesDropped);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Rfc28_a_router_shall_drop_or_refuse_messages_to_a_full_peer_and_never_wait(bool mandatory)
    {
        await using var rig = new Rig();
        LoopRouter router = rig.Router(o => o with { Mandatory = mandatory, SendHighWaterMark = 10 });
        var writable = new Inbox<string>();
        router.OnWritable = id => writable.Add(Encoding.ASCII.GetString(id.Span));
        LoopDealer slow = rig.Dealer(o => o with { RoutingId = Wire.Ascii("slow") });
        LoopDealer fast = rig.Dealer(o => o with { RoutingId = Wire.Ascii("fast") }, (ZeroMqPeer _, in ZmtpMessage _) => true);
        string endpoint = router.Bind(AnyPort).ToString();
        slow.Connect(endpoint);
        fast.Connect(endpoint);
        await rig.ConnectedAsync(2);
        await rig.DoAsync(slow.PauseReceiving);
        byte[] body = new byte[100_000];
        int sent = 0;
        RouteResult result;
        while ((result = await rig.OnLoopAsync(() => router.SendTo("slow"u8, body))) == RouteResult.Sent)
        {
            sent++;
            Assert.InRange(sent, 0, 10_000);
        }

        Assert.Equal(mandatory ? RouteResult.Full : RouteResult.Dropped, result);
        Assert.Equal(RouteResult.Sent, await rig.OnLoopAsync(() => router.SendTo("fast"u8, body)));
        Assert.Equal(mandatory ? 0 : 1, router.MessagesDropped);
        await rig.DoAsync(slow.ResumeReceiving);
        Assert.Equal("slow", await writable.TakeAsync());
        for (int i = 0; i < sent; i++)
        {
            await rig.Messages.TakeAsync();
        }
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task A_second_peer_with_the_same_id_is_refused_or_replaces_the_first_with_handover(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        foreach (bool handover in (bool[])[false, true])
        {
            var got = new Inbox<int>();
            LoopRouter router = rig.Router(o => o with { Handover = handover });
            string endpoint = router.Bind(rig.AnyPort).ToString();
            for (int i = 1; i <= 2; i++)
            {
                int number = i;
                LoopDealer dealer = rig.Dealer(
                    o => o with { RoutingId = Wire.Ascii("same"), ReconnectInitial = TimeSpan.FromHours(1), ReconnectMax = TimeSpan.FromHours(1) },
                    (ZeroMqPeer _, in ZmtpMessage _) =>
                    {
                        got.Add(number);
                        return true;
                    });
                dealer.Connect(endpoint);
                if (i == 1)
                {
                    await rig.ConnectedAsync();
                }
            }

            string reason = handover ? "its routing id was taken over" : "its routing id is in use";
            await rig.Events.TakeAsync(e => e.Kind == ZeroMqEventKind.PeerRefused && e.Reason == reason);
            Assert.Equal(RouteResult.Sent, await rig.OnLoopAsync(() => router.SendTo("same"u8, "x"u8)));
            Assert.Equal(handover ? 2 : 1, await got.TakeAsync());
            rig.Events.TakeAll();
        }
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task A_dealer_with_probe_sends_a_router_an_empty_message(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        LoopRouter router = rig.Router();
        rig.Dealer(o => o with { ProbeRouter = true }).Connect(router.Bind(rig.AnyPort).ToString());
        Assert.Equal("-", await rig.Messages.TakeAsync());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_libzmq_dealer_and_a_libzmq_router_exchange_messages_with_ours(bool binds)
    {
        await using var rig = new Rig();
        LoopRouter router = null!;
        router = rig.Router(onMessage: (ZeroMqPeer peer, in ZmtpMessage message) =>
        {
            Assert.Equal(RouteResult.Sent, router.SendTo(peer.RoutingId.Span, message));
            return true;
        });
        LoopDealer dealer = rig.Dealer(o => o with { RoutingId = Wire.Ascii("ours") });
        string toRouter = binds ? router.Bind(AnyPort).ToString() : PushPullTests.FreeEndpoint(rig);
        string toDealer = binds ? dealer.Bind(AnyPort).ToString() : PushPullTests.FreeEndpoint(rig);
        string theirs = binds ? "connect" : "bind";
        using LibzmqPeer theirDealer = await LibzmqPeer.StartAsync("DEALER", theirs, toRouter);
        using LibzmqPeer theirRouter = await LibzmqPeer.StartAsync("ROUTER", theirs, toDealer);
        if (!binds)
        {
            router.Connect(toRouter);
            dealer.Connect(toDealer);
        }

        await rig.EventAsync(ZeroMqEventKind.PeerConnected);
        await rig.EventAsync(ZeroMqEventKind.PeerConnected);
        await theirDealer.DoAsync("send", [], [1], Wire.Filled(300));
        Assert.Equal(LibzmqPeer.Show([], [1], Wire.Filled(300)), await theirDealer.ReceiveAsync());

        await rig.DoAsync(() => Assert.True(dealer.TrySend([], "hello"u8)));
        Assert.Equal(LibzmqPeer.Show(Wire.Ascii("ours"), [], Wire.Ascii("hello")), await theirRouter.ReceiveAsync());
        await theirRouter.DoAsync("send", Wire.Ascii("ours"), [9]);
        Assert.Equal("09", await rig.Messages.TakeAsync());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Rfc28_a_dealer_and_a_router_shall_receive_from_their_peers_fairly(bool isRouter)
    {
        await using var rig = new Rig();
        var taken = new Dictionary<ZeroMqPeer, int>();
        var offered = new HashSet<ZeroMqPeer>();
        int room = 0;
        ZeroMqMessageHandler take = (ZeroMqPeer peer, in ZmtpMessage _) =>
        {
            offered.Add(peer);
            if (room == 0)
            {
                return false;
            }

            room--;
            taken[peer] = taken.GetValueOrDefault(peer) + 1;
            return true;
        };
        SingleLoopSocket socket = isRouter ? rig.Router(onMessage: take) : rig.Dealer(onMessage: take);
        string endpoint = socket.Bind(AnyPort).ToString();
        for (int i = 0; i < 4; i++)
        {
            LoopDealer dealer = rig.Dealer();
            dealer.Connect(endpoint);
            await rig.DoAsync(() =>
            {
                for (int k = 0; k < 100; k++)
                {
                    Assert.True(dealer.TrySend("x"u8));
                }
            });
        }

        // From here to the end, messages of each peer are waiting.
        await Wait.UntilAsync(() => rig.OnLoopAsync(() => offered.Count == 4));
        for (int i = 0; i < 40; i++)
        {
            await rig.DoAsync(() =>
            {
                room = 1;
                socket.ResumeReceiving();
            });
            await Wait.UntilAsync(() => rig.OnLoopAsync(() => room == 0));
        }

        Assert.Equal(4, taken.Count);
        Assert.All(taken.Values, count => Assert.InRange(count, 5, 15));
    }

    private static readonly Comparer<string> ByLast =
        Comparer<string>.Create((left, right) => string.CompareOrdinal(left.Split(',')[^1], right.Split(',')[^1]));

    private static RouteResult Routed(LoopRouter router, byte[] encoded)
    {
        var decoder = new ZmtpDecoder(ZmtpLimits.Default);
        var into = new Forward(router);
        decoder.Decode(encoded, ref into);
        return into.Result;
    }

    private struct Forward(LoopRouter router) : IZmtpFrameHandler
    {
        public RouteResult Result { get; private set; }

        public ZmtpVerdict OnMessage(in ZmtpMessage message)
        {
            Result = router.SendRouted(message);
            return ZmtpVerdict.Continue;
        }

        public readonly ZmtpVerdict OnCommand(in ZmtpCommand command) => ZmtpVerdict.Abort;
    }
}
