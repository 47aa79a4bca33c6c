using System.Text;
using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Sockets;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Patterns;

/// <summary>RFC 28, "The REQ Socket Type" and "The REP Socket Type".</summary>
public sealed class ReqRepTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    public static TheoryData<bool> Pollers => [false, true];

    public static TheoryData<RigTransport> Transports => Rig.Transports;

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task Rfc28_requests_and_replies_shall_alternate_and_go_to_peers_in_turn(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        LoopReq req = rig.Req();
        for (int i = 0; i < 3; i++)
        {
            req.Connect(Echo(rig, $"{i}:").Bind(rig.AnyPort).ToString());
        }

        await rig.ConnectedAsync(3);
        for (int i = 0; i < 9; i++)
        {
            await rig.DoAsync(() => Assert.True(req.TrySend(Wire.Ascii($"q{i}"))));
            Assert.Equal(LibzmqPeer.Show(Wire.Ascii($"{i % 3}:q{i}")), await rig.Messages.TakeAsync());
        }
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task Rfc28_a_req_shall_send_no_second_request_before_the_reply(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        LoopReq req = rig.Req();
        Assert.False(await rig.OnLoopAsync(() => req.TrySend("to nobody"u8)));
        req.Connect(rig.Rep((ZeroMqPeer _, in ZmtpMessage _) => true).Bind(rig.AnyPort).ToString());
        await rig.DoAsync(() =>
        {
            Assert.True(req.TrySend("1"u8));
            Assert.True(req.IsAwaitingReply);
            Assert.Throws<InvalidOperationException>(() => req.TrySend("2"u8));
            req.AbandonRequest();
            Assert.True(req.TrySend("3"u8));
        });
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task Rfc28_a_req_shall_add_an_empty_frame_to_the_request_and_remove_it_from_the_reply(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        var seen = new Inbox<string>();
        LoopRouter router = null!;
        router = rig.Router(onMessage: (ZeroMqPeer peer, in ZmtpMessage message) =>
        {
            seen.Add(Frames(message));
            router.SendTo(peer.RoutingId.Span, message);
            return true;
        });
        LoopReq req = rig.Req();
        req.Connect(router.Bind(rig.AnyPort).ToString());
        await rig.DoAsync(() => Assert.True(req.TrySend([new byte[] { 1 }, new byte[] { 2 }])));
        Assert.Equal("-,01,02", await seen.TakeAsync());
        Assert.Equal("01,02", await rig.Messages.TakeAsync());
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task Rfc28_a_req_shall_accept_a_reply_from_the_last_peer_it_asked_and_discard_all_else(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        LoopReq req = rig.Req();
        var routers = new LoopRouter[2];
        var asked = new Inbox<(int Router, byte[] Id)>();
        for (int i = 0; i < 2; i++)
        {
            int number = i;
            routers[i] = rig.Router(onMessage: (ZeroMqPeer peer, in ZmtpMessage _) =>
            {
                asked.Add((number, peer.RoutingId.ToArray()));
                return true;
            });
            req.Connect(routers[i].Bind(rig.AnyPort).ToString());
        }

        await rig.ConnectedAsync(2);
        await rig.DoAsync(() => Assert.True(req.TrySend("1"u8)));
        (int Router, byte[] Id) first = await asked.TakeAsync();
        await rig.DoAsync(() =>
        {
            req.AbandonRequest();
            Assert.True(req.TrySend("2"u8));
        });
        (int Router, byte[] Id) second = await asked.TakeAsync();
        Assert.NotEqual(first.Router, second.Router);
        await rig.DoAsync(() => routers[first.Router].SendTo(first.Id, [], "late"u8));
        await rig.DoAsync(() =>
        {
            // One without the empty frame, and one without a frame after it.
            routers[second.Router].SendTo(second.Id, "bare"u8);
            routers[second.Router].SendTo(second.Id, ReadOnlySpan<byte>.Empty);
            routers[second.Router].SendTo(second.Id, [], "right"u8);
            routers[second.Router].SendTo(second.Id, [], "one too many"u8);
        });
        Assert.Equal(LibzmqPeer.Show(Wire.Ascii("right")), await rig.Messages.TakeAsync());

        // The late reply belongs to another connection, and the next request goes to the same peer: by then the reply
        // must have arrived.
        await Wait.UntilAsync(() => req.GetCounts().MessagesReceived == 5);
        await rig.OnLoopAsync(() => req.TrySend("3"u8));
        (int Router, byte[] Id) third = await asked.TakeAsync();
        await rig.DoAsync(() => routers[third.Router].SendTo(third.Id, [], "3"u8));
        Assert.Equal(LibzmqPeer.Show(Wire.Ascii("3")), await rig.Messages.TakeAsync());
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task A_correlating_req_never_accepts_a_late_reply_as_the_reply_to_its_next_request(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        var envelopes = new Inbox<byte[][]>();
        LoopRouter router = rig.Router(onMessage: (ZeroMqPeer peer, in ZmtpMessage message) =>
        {
            envelopes.Add([peer.RoutingId.ToArray(), message.FirstFrame.Body.ToArray()]);
            return true;
        });
        LoopReq req = rig.Req(o => o with { Correlate = true, Relaxed = true });
        req.Connect(router.Bind(rig.AnyPort).ToString());
        await rig.DoAsync(() => Assert.True(req.TrySend("1"u8)));
        byte[][] first = await envelopes.TakeAsync();
        await rig.DoAsync(() => Assert.True(req.TrySend("2"u8)));
        byte[][] second = await envelopes.TakeAsync();
        Assert.Equal(4, second[1].Length);
        Assert.NotEqual(first[1], second[1]);
        await rig.DoAsync(() =>
        {
            router.SendTo(first[0], [first[1], ReadOnlyMemory<byte>.Empty, Wire.Ascii("late")]);
            router.SendTo(second[0], [second[1], ReadOnlyMemory<byte>.Empty, Wire.Ascii("right")]);
        });
        Assert.Equal(LibzmqPeer.Show(Wire.Ascii("right")), await rig.Messages.TakeAsync());
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task Rfc28_a_rep_shall_store_the_envelope_and_send_it_before_the_reply(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        var bodies = new Inbox<string>();
        LoopRep rep = null!;
        rep = rig.Rep((ZeroMqPeer _, in ZmtpMessage message) =>
        {
            bodies.Add(Frames(message));
            Assert.True(rep.Reply(message));
            return true;
        });
        LoopDealer dealer = rig.Dealer();
        dealer.Connect(rep.Bind(rig.AnyPort).ToString());
        byte[] hop = Wire.Filled(300);
        await rig.DoAsync(() =>
        {
            Assert.True(dealer.TrySend([Wire.Ascii("a"), hop, ReadOnlyMemory<byte>.Empty, Wire.Ascii("q"), ReadOnlyMemory<byte>.Empty]));
            // Malformed and dropped: one without an envelope, and one with nothing after the envelope.
            Assert.True(dealer.TrySend("bare"u8));
            Assert.True(dealer.TrySend("b"u8, []));
            Assert.True(dealer.TrySend([], "last"u8));
        });
        Assert.Equal("71,-", await bodies.TakeAsync());
        Assert.Equal(LibzmqPeer.Show(Wire.Ascii("a"), hop, [], Wire.Ascii("q"), []), await rig.Messages.TakeAsync());
        Assert.Equal(LibzmqPeer.Show(Wire.Ascii("last")), await bodies.TakeAsync());
        Assert.Equal(LibzmqPeer.Show([], Wire.Ascii("last")), await rig.Messages.TakeAsync());
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task Rfc28_a_rep_shall_serve_its_peers_fairly_one_request_at_a_time(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        var requests = new Inbox<string>();
        LoopRep rep = rig.Rep((ZeroMqPeer _, in ZmtpMessage message) =>
        {
            requests.Add(Encoding.ASCII.GetString(message.FirstFrame.Body));
            return true;
        });
        string endpoint = rep.Bind(rig.AnyPort).ToString();
        for (int i = 0; i < 3; i++)
        {
            LoopDealer dealer = rig.Dealer();
            dealer.Connect(endpoint);
            await rig.ConnectedAsync();
            int number = i;
            await rig.DoAsync(() =>
            {
                for (int k = 0; k < 4; k++)
                {
                    Assert.True(dealer.TrySend([], Wire.Ascii($"{number}")));
                }
            });

            // The requests have arrived, and one of them is paused, before another peer sends any.
            await Wait.UntilAsync(() => rig.OnLoopAsync(() => rep.Peers.Count(peer => peer.Session.IsPaused) == number + 1));
        }

        var order = new List<string>();
        for (int i = 0; i < 12; i++)
        {
            order.Add(await requests.TakeAsync());
            Assert.Empty(requests.TakeAll());
            await rig.DoAsync(() => Assert.True(rep.Reply("done"u8)));
        }

        // The first peer's second request arrived before all other requests of the second peer.
        Assert.Equal(["0", "0", "1", "2", "0", "1", "2", "0", "1", "2", "1", "2"], order);
        Assert.All(order.GroupBy(o => o), peer => Assert.Equal(4, peer.Count()));
        await rig.DoAsync(() => Assert.Throws<InvalidOperationException>(() => rep.Reply("unasked"u8)));
    }

    [Fact]
    public async Task Rfc28_a_rep_shall_discard_the_reply_to_a_disconnected_peer_and_serve_the_next()
    {
        await using var rig = new Rig();
        var requests = new Inbox<string>();
        LoopRep rep = rig.Rep((ZeroMqPeer _, in ZmtpMessage message) =>
        {
            requests.Add(Frames(message));
            return true;
        });
        string endpoint = rep.Bind(AnyPort).ToString();
        RawPeer gone = new RawPeer(ZeroMqEndpoint.Parse(endpoint)).Handshake("REQ").Send(Wire.Message([], [1]));
        Assert.Equal("01", await requests.TakeAsync());
        LoopReq req = rig.Req();
        req.Connect(endpoint);
        await rig.DoAsync(() => Assert.True(req.TrySend("2"u8)));
        gone.Dispose();
        await rig.EventAsync(ZeroMqEventKind.PeerDisconnected);
        await rig.DoAsync(() => Assert.False(rep.Reply("too late"u8)));
        Assert.Equal(1, rep.RepliesDropped);
        Assert.Equal("32", await requests.TakeAsync());
        await rig.DoAsync(() => Assert.True(rep.Reply("2"u8)));
        Assert.Equal("32", await rig.Messages.TakeAsync());
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task A_request_that_the_handler_refuses_is_not_open_and_is_delivered_again(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        bool takes = false;
        var offered = new Inbox<int>();
        LoopRep rep = null!;
        rep = rig.Rep((ZeroMqPeer _, in ZmtpMessage message) =>
        {
            offered.Add(1);
            return takes && rep.Reply(message);
        });
        LoopReq req = rig.Req();
        req.Connect(rep.Bind(rig.AnyPort).ToString());
        await rig.DoAsync(() => Assert.True(req.TrySend("1"u8)));
        await offered.TakeAsync();
        await rig.DoAsync(() =>
        {
            Assert.False(rep.IsRequestOpen);
            takes = true;
            rep.ResumeReceiving();
        });
        Assert.Equal("31", await rig.Messages.TakeAsync());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_libzmq_req_and_a_libzmq_rep_exchange_messages_with_ours(bool binds)
    {
        await using var rig = new Rig();
        LoopRep rep = Echo(rig, "re:");
        LoopReq req = rig.Req(o => o with { Correlate = true, Relaxed = true });
        string toRep = binds ? rep.Bind(AnyPort).ToString() : PushPullTests.FreeEndpoint(rig);
        string toReq = binds ? req.Bind(AnyPort).ToString() : PushPullTests.FreeEndpoint(rig);
        string theirs = binds ? "connect" : "bind";
        using LibzmqPeer theirReq = await LibzmqPeer.StartAsync("REQ", theirs, toRep);
        using LibzmqPeer theirRep = await LibzmqPeer.StartAsync("REP", theirs, toReq);
        if (!binds)
        {
            rep.Connect(toRep);
            req.Connect(toReq);
        }

        await rig.EventAsync(ZeroMqEventKind.PeerConnected);
        await rig.EventAsync(ZeroMqEventKind.PeerConnected);
        for (int i = 0; i < 3; i++)
        {
            await theirReq.DoAsync("send", Wire.Ascii($"{i}"));
            Assert.Equal(LibzmqPeer.Show(Wire.Ascii($"re:{i}")), await theirReq.ReceiveAsync());
            await rig.DoAsync(() => Assert.True(req.TrySend([9])));
            Assert.Equal("09", await theirRep.ReceiveAsync());
            await theirRep.DoAsync("send", [8], [7]);
            Assert.Equal("08,07", await rig.Messages.TakeAsync());
        }
    }

    private static LoopRep Echo(Rig rig, string prefix)
    {
        LoopRep rep = null!;
        rep = rig.Rep((ZeroMqPeer _, in ZmtpMessage message) =>
        {
            Assert.True(rep.Reply([.. Wire.Ascii(prefix), .. message.FirstFrame.Body]));
            return true;
        });
        return rep;
    }

    private static string Frames(in ZmtpMessage message)
    {
        var frames = new List<byte[]>();
        foreach (ZmtpFrame frame in message)
        {
            frames.Add(frame.Body.ToArray());
        }

        return LibzmqPeer.Show([.. frames]);
    }
}
