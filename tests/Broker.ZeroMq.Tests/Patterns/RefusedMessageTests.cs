using System.Net;
using System.Net.Sockets;
using System.Text;
using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Mechanisms;
using Broker.ZeroMq.Tests.Sockets;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Patterns;

/// <summary>Messages over a limit of the receiver: they are counted, and their sender receives the reason.</summary>
public sealed class RefusedMessageTests
{
    private static readonly ZmtpLimits Small = new(maxFrameSize: 1000, maxMessageSize: 1500, maxFrames: 3);

    public static TheoryData<string, RigTransport, bool> Patterns
    {
        get
        {
            var data = new TheoryData<string, RigTransport, bool>();
            foreach (string pattern in new[] { "PUSH", "PUB", "DEALER", "ROUTER", "REQ", "REP", "PAIR" })
            {
                data.Add(pattern, RigTransport.Tcp, false);
            }

            data.Add("PUSH", RigTransport.TcpPortable, false);
            data.Add("PUSH", RigTransport.Ipc, false);
            data.Add("PUSH", RigTransport.Inproc, false);
            data.Add("PUB", RigTransport.Inproc, false);
            data.Add("PUSH", RigTransport.Tcp, true);
            data.Add("PUB", RigTransport.Tcp, true);
            data.Add("PUSH", RigTransport.TcpPortable, true);
            return data;
        }
    }

    public static TheoryData<string, byte[], string> Violations => new()
    {
        { "PULL", Wire.Message(Wire.Filled(1001)), "a-frame-exceeds-the-frame-size-limit-of-1000-bytes" },
        { "PULL", Wire.Message(Wire.Filled(900), Wire.Filled(900)), "a-message-exceeds-the-message-size-limit-of-1500-bytes" },
        { "PULL", Wire.Hex("0100 0100 0100 0000"), "a-message-exceeds-the-frame-count-limit-of-3" },
        { "PULL", Wire.Hex("f8 00"), "a-frame-has-reserved-flag-bits-set" },
        { "XPUB", Wire.Message(Wire.Filled(100_000)), "a-frame-exceeds-the-frame-size-limit-of-65537-bytes" },
        { "PUB", Wire.Join([.. Enumerable.Range(0, 6).Select(i => Wire.Command("SUBSCRIBE", (byte)i))]), "too-many-or-too-large-subscriptions" },
    };

    [Theory]
    [MemberData(nameof(Patterns))]
    public async Task The_sender_is_told_which_limit_its_message_exceeds_and_the_receiver_counts_it(string type, RigTransport transport, bool isEncrypted)
    {
        await using var rig = new Rig(transport);
        await using var other = new Rig(transport);
        ZeroMqSecurity ours = isEncrypted ? Curve.Server : ZeroMqSecurity.Null;
        ZeroMqSecurity theirs = isEncrypted ? Curve.Client : ZeroMqSecurity.Null;
        (LoopSocket refuses, LoopSocket sends, Func<bool> send) = Make(type, rig, other, ours, theirs, rig.Names);
        sends.Connect(refuses.Bind(rig.AnyPort).ToString());
        await other.EventAsync(ZeroMqEventKind.PeerConnected);
        await Wait.UntilAsync(() => other.OnLoopAsync(send));

        ZeroMqEvent told = await other.EventAsync(ZeroMqEventKind.PeerRefused);
        Assert.Equal("the peer refused the connection: a-frame-exceeds-the-frame-size-limit-of-1000-bytes", told.Reason);
        Assert.Equal("a frame exceeds the frame size limit of 1000 bytes", (await rig.EventAsync(ZeroMqEventKind.PeerRefused)).Reason);
        Assert.Equal((1L, 1L), (refuses.MessagesRefused, refuses.GetCounts().MessagesRefused));
        Assert.Equal(0, sends.GetCounts().MessagesRefused);
    }

    [Theory]
    [MemberData(nameof(Violations))]
    public async Task A_peer_of_ZMTP_3_1_gets_the_reason_and_an_older_one_gets_only_the_end(string type, byte[] bytes, string reason)
    {
        await using var rig = new Rig();
        (LoopSocket socket, string peerType) = type == "PULL"
            ? (rig.Pull(o => o with { Limits = Small }), "PUSH")
            : ((LoopSocket)rig.Publisher(o => o with { MaxSubscriptionsPerPeer = 5, AnnounceExtended = type == "XPUB" }), "SUB");
        ZeroMqEndpoint endpoint = socket.Bind(rig.AnyPort);
        byte[] error = Wire.Command("ERROR", [(byte)reason.Length, .. Wire.Ascii(reason)]);
        using (RawPeer peer = new RawPeer(endpoint).Handshake(peerType).Send(bytes))
        {
            Assert.EndsWith(Encoding.Latin1.GetString(error), Encoding.Latin1.GetString(peer.ReadToEnd()), StringComparison.Ordinal);
        }

        using RawPeer old = new RawPeer(endpoint).Handshake(peerType, minor: 0).Send(bytes);
        Assert.DoesNotContain("ERROR", Encoding.Latin1.GetString(old.ReadToEnd()), StringComparison.Ordinal);
    }

    // The refused peer keeps its connection and reads nothing. What is sent meanwhile must not go to it.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Messages_that_are_sent_while_a_refused_peer_is_told_the_reason_reach_its_next_connection(bool conflates)
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        await using var rig = new Rig();
        LoopDealer dealer = rig.Dealer(o => o with { Limits = Small, Conflate = conflates });
        var writable = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        dealer.OnWritable = writable.SetResult;
        dealer.Connect($"tcp://127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port}");
        using (Socket refused = await AcceptAsync(listener, dealer))
        {
            refused.Send(Wire.Message(Wire.Filled(2000)));
            await rig.EventAsync(ZeroMqEventKind.PeerRefused);
            Assert.Equal(conflates, await rig.OnLoopAsync(() => dealer.Room > 0));
            Assert.Equal(conflates, await rig.OnLoopAsync(() => dealer.TrySend("first"u8)));
        }

        using Socket next = await AcceptAsync(listener, dealer);
        if (!conflates)
        {
            await Wait.For(writable);
            Assert.True(await rig.OnLoopAsync(() => dealer.TrySend("first"u8)));
        }

        byte[] expected = Wire.Message(Wire.Ascii("first"));
        Assert.Equal(expected, await Wait.For(ReadAsync(next, expected.Length)));
    }

    [Theory]
    [MemberData(nameof(Rig.Transports), MemberType = typeof(Rig))]
    public async Task A_frame_of_any_size_below_the_limit_of_a_message_passes_by_default(RigTransport transport)
    {
        const int Size = 20 << 20;
        await using var rig = new Rig(transport);
        var sizes = new Inbox<int>();
        LoopPull pull = rig.Pull(onMessage: (ZeroMqPeer _, in ZmtpMessage message) =>
        {
            sizes.Add(message.FirstFrame.Body.Length);
            return true;
        });
        LoopPush push = rig.Push();
        push.Connect(pull.Bind(rig.AnyPort).ToString());
        await rig.ConnectedAsync();
        Assert.True(await rig.OnLoopAsync(() => push.TrySend(new byte[Size])));
        Assert.Equal(Size, await sizes.TakeAsync());
    }

    [Fact]
    public void A_message_within_the_process_may_be_as_large_as_the_options_allow()
    {
        const int Size = 70 << 20;
        using var context = new ZeroMqContext();
        using var pull = new PullSocket(new ZeroMqSocketOptions { Limits = new(maxFrameSize: Size, maxMessageSize: Size) }, context);
        using var push = new PushSocket(context: context);
        push.Connect(pull.Bind("inproc://large"));
        push.Send(new byte[Size]);
        push.Send("behind it");
        Assert.Equal((Size, "behind it"), (pull.ReceiveBytes().Length, pull.ReceiveString()));
    }

    // PUSH, PUB, DEALER, ROUTER, REQ, REP and PAIR are the types of the sender.
    private static (LoopSocket Refuses, LoopSocket Sends, Func<bool> Send) Make(
        string type, Rig rig, Rig other, ZeroMqSecurity ours, ZeroMqSecurity theirs, InprocNames names)
    {
        byte[] large = Wire.Filled(1001);
        TOptions Refusing<TOptions>(TOptions o)
            where TOptions : LoopMessageOptions
            => (TOptions)((LoopMessageOptions)o with { Limits = Small, Security = ours, Inproc = names });
        TOptions Sending<TOptions>(TOptions o)
            where TOptions : LoopSocketOptions
            => (TOptions)(o with { Security = theirs, Inproc = names });
        switch (type)
        {
            case "PUSH":
                LoopPush push = other.Push(Sending);
                return (rig.Pull(Refusing), push, () => push.TrySend(large));
            case "PUB":
                LoopPublisher publisher = other.Publisher(Sending);
                LoopSubscriber subscriber = rig.Subscriber(o => o with { Limits = Small, Security = ours, Inproc = names });
                subscriber.Subscribe([]);
                return (subscriber, publisher, () => publisher.Publish(other.Loop, large) == 1);
            case "DEALER":
                LoopDealer dealer = other.Dealer(Sending);
                return (rig.Router(Refusing), dealer, () => dealer.TrySend(large));
            case "ROUTER":
                LoopRouter router = other.Router(Sending);
                return (rig.Dealer(o => Refusing(o) with { RoutingId = Wire.Ascii("id") }), router, () => router.SendTo("id"u8, large) == RouteResult.Sent);
            case "REQ":
                LoopReq req = other.Req(Sending);
                return (rig.Rep((_, in _) => true, Refusing), req, () => req.TrySend(large));
            case "REP":
                LoopReq asks = rig.Req(Refusing);
                asks.OnWritable = () => asks.TrySend("?"u8);
                rig.Loop.Post(asks.OnWritable);
                LoopRep rep = other.Rep((_, in _) => true, Sending);
                return (asks, rep, () => rep.IsRequestOpen && rep.Reply(large));
            default:
                LoopPair pair = other.Pair(Sending);
                return (rig.Pair(Refusing), pair, () => pair.TrySend(large));
        }
    }

    private static async Task<Socket> AcceptAsync(TcpListener listener, LoopDealer dealer)
    {
        Socket socket = await listener.AcceptSocketAsync(TestContext.Current.CancellationToken);
        socket.Send(Wire.Join(Wire.Greeting(), Wire.Ready("DEALER")));
        byte[] ready = Wire.Ready("DEALER", Wire.Property("Identity"), Wire.Property("X-Reconnects"));
        await ReadAsync(socket, Wire.Greeting().Length + ready.Length);
        await Wait.UntilAsync(() => dealer.Peers.Count == 1, "the accepted peer");
        return socket;
    }

    private static async Task<byte[]> ReadAsync(Socket socket, int count)
    {
        byte[] bytes = new byte[count];
        for (int at = 0; at < count;)
        {
            int got = await socket.ReceiveAsync(bytes.AsMemory(at), TestContext.Current.CancellationToken);
            Assert.NotEqual(0, got);
            at += got;
        }

        return bytes;
    }
}
