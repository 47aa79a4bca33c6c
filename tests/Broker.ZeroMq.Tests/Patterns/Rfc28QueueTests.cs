using System.Text;
using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Sockets;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Patterns;

/// <summary>
/// RFC 28: the queues of its socket types, replies that cannot be delivered, and messages that must not be changed.
/// </summary>
public sealed class Rfc28QueueTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    public static TheoryData<RigTransport> Transports => Rig.Transports;

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task Rfc28_a_dealer_shall_have_a_queue_for_an_endpoint_whether_or_not_it_is_connected_up_to_the_mark(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        LoopDealer dealer = rig.Dealer(o => o with { SendHighWaterMark = 7 });
        string endpoint = PushPullTests.FreeEndpoint(rig);
        dealer.Connect(endpoint);
        int sent = await rig.OnLoopAsync(() =>
        {
            int count = 0;
            while (dealer.TrySend(Wire.Ascii($"{count}")))
            {
                count++;
            }

            return count;
        });
        Assert.Equal(7, sent);
        rig.Router().Bind(endpoint);
        for (int i = 0; i < sent; i++)
        {
            Assert.Equal(LibzmqPeer.Show(Wire.Ascii($"{i}")), await rig.Messages.TakeAsync());
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Rfc28_a_dealer_shall_destroy_the_queue_of_a_peer_that_disconnects_and_discard_what_is_in_it(bool portable)
    {
        await using var rig = new Rig(portable: portable);
        LoopDealer dealer = rig.Dealer(o => o with { SendHighWaterMark = 100, SendHighWaterBytes = 1L << 40 });
        ZeroMqEndpoint endpoint = dealer.Bind(AnyPort);
        await LoseAsync(rig, endpoint, "ROUTER", () => dealer.TrySend(new byte[1_000_000]));
        Assert.False(await rig.OnLoopAsync(() => dealer.TrySend("to nobody"u8)));
        using RawPeer next = new RawPeer(endpoint).Handshake("ROUTER");
        await rig.EventAsync(ZeroMqEventKind.PeerConnected);
        Assert.True(await rig.OnLoopAsync(() => dealer.TrySend("next"u8)));
        byte[] expected = Wire.Join(Wire.Greeting(), Wire.Ready("DEALER", Wire.Property("Identity")), Wire.Message(Wire.Ascii("next")));
        Assert.Equal(expected, next.Read(expected.Length));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Rfc28_a_router_shall_destroy_the_queue_of_a_disconnected_peer_even_if_another_has_its_id(bool portable)
    {
        await using var rig = new Rig(portable: portable);
        LoopRouter router = rig.Router(o => o with { SendHighWaterMark = 100, SendHighWaterBytes = 1L << 40, Mandatory = true });
        ZeroMqEndpoint endpoint = router.Bind(AnyPort);
        byte[] id = Wire.Ascii("me");
        await LoseAsync(rig, endpoint, "DEALER", () => router.SendTo(id, new byte[1_000_000]) == RouteResult.Sent, id);
        Assert.Equal(RouteResult.Unroutable, await rig.OnLoopAsync(() => router.SendTo(id, "to nobody"u8)));
        using RawPeer next = new RawPeer(endpoint).Send(Wire.Greeting(), Wire.Ready("DEALER", Wire.Property("Identity", id)));
        await rig.EventAsync(ZeroMqEventKind.PeerConnected);
        Assert.Equal(RouteResult.Sent, await rig.OnLoopAsync(() => router.SendTo(id, "next"u8)));
        byte[] expected = Wire.Join(Wire.Greeting(), Wire.Ready("ROUTER", Wire.Property("Identity")), Wire.Message(Wire.Ascii("next")));
        Assert.Equal(expected, next.Read(expected.Length));
    }

    [Fact]
    public async Task Rfc28_a_rep_shall_not_wait_for_a_peer_that_reads_no_replies_and_serves_the_others()
    {
        await using var rig = new Rig();
        LoopRep rep = null!;
        byte[] large = new byte[1_000_000];
        var outcomes = new Inbox<bool>();
        rep = rig.Rep(
            (ZeroMqPeer _, in ZmtpMessage message) =>
            {
                outcomes.Add(message.FirstFrame.Body.IsEmpty ? rep.Reply(large) : rep.Reply(message));
                return true;
            },
            o => o with { SendHighWaterMark = 3, SendHighWaterBytes = 1L << 40 });
        ZeroMqEndpoint endpoint = rep.Bind(AnyPort);
        using RawPeer deaf = new RawPeer(endpoint).Handshake("REQ");
        do
        {
            deaf.Send(Wire.Message([], []));
        }
        while (await outcomes.TakeAsync());

        Assert.Equal(1, rep.RepliesDropped);
        LoopReq req = rig.Req();
        req.Connect(endpoint.ToString());
        await rig.DoAsync(() => Assert.True(req.TrySend("2"u8)));
        Assert.Equal("32", await rig.Messages.TakeAsync());
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task Rfc28_a_dealer_and_a_router_shall_not_change_messages(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        LoopRouter router = null!;
        router = rig.Router(onMessage: (ZeroMqPeer peer, in ZmtpMessage message) =>
        {
            Assert.Equal(RouteResult.Sent, router.SendTo(peer.RoutingId.Span, message));
            return true;
        });
        LoopDealer dealer = rig.Dealer();
        dealer.Connect(router.Bind(rig.AnyPort).ToString());
        foreach (byte[][] frames in (byte[][][])[[[]], [[], []], [[1], [], [2]], [[0]], [Wire.Filled(255), Wire.Filled(256), Wire.Filled(70_000)]])
        {
            await rig.DoAsync(() => Assert.True(dealer.TrySend(Array.ConvertAll(frames, frame => new ReadOnlyMemory<byte>(frame)))));
            Assert.Equal(LibzmqPeer.Show(frames), await rig.Messages.TakeAsync());
        }
    }

    [Fact]
    public void Rfc28_a_router_shall_add_the_id_to_received_messages_and_remove_it_from_sent_ones()
    {
        using var router = new RouterSocket();
        using var dealer = new DealerSocket(new ZeroMqSocketOptions { RoutingId = Wire.Ascii("anna") });
        dealer.Connect(router.Bind(AnyPort));
        dealer.Send("", "hello");
        Assert.Equal(["anna", "", "hello"], router.ReceiveFrames().Select(Encoding.UTF8.GetString));
        using var reply = new ZeroMqMessage();
        reply.Append("anna"u8);
        reply.Append(""u8);
        reply.Append("hello back"u8);
        router.Send(reply);
        Assert.Equal(["", "hello back"], dealer.ReceiveFrames().Select(Encoding.UTF8.GetString));
    }

    [Fact]
    public void Rfc28_a_req_without_a_peer_shall_wait_or_refuse_and_discard_nothing()
    {
        using var req = new RequestSocket(new RequestSocketOptions { SendTimeout = TimeSpan.FromMilliseconds(1) });
        string endpoint = req.Bind(AnyPort);
        Assert.Throws<TimeoutException>(() => req.Send("1"));
        using var rep = new ResponseSocket();
        rep.Connect(endpoint);
        Assert.True(req.TrySend("2"u8, Wait.Limit));
        Assert.Equal("2", rep.ReceiveString());
    }

    // Fills the queue of a peer that reads nothing until nothing more is accepted for a while, and closes it.
    private static async Task LoseAsync(Rig rig, ZeroMqEndpoint endpoint, string type, Func<bool> send, byte[]? id = null)
    {
        int sent = 0;
        using (new RawPeer(endpoint).Send(Wire.Greeting(), Wire.Ready(type, Wire.Property("Identity", id ?? []))))
        {
            await rig.EventAsync(ZeroMqEventKind.PeerConnected);
            while (await rig.OnLoopAsync(send))
            {
                Assert.InRange(++sent, 1, 10_000);
            }
        }

        ZeroMqEvent gone = await rig.EventAsync(ZeroMqEventKind.PeerDisconnected);
        Assert.InRange(gone.Undelivered, 1, sent);
    }
}
