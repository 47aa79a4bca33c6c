using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Sockets;

namespace Broker.ZeroMq.Tests.Zmtp;

/// <summary>
/// Tests handshakes by RFC 15 (ZMTP/2.0) as libzmq 3.2 sends them: signature with the length of the identity plus 1,
/// revision, socket type, identity.
/// </summary>
public sealed class Version2Tests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    private static readonly byte[] OurStart = Wire.Greeting()[..11];

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void A_subscriber_sends_its_type_and_subscribes_by_messages_for_any_split_of_the_octets(byte revision)
    {
        byte[] stream = Wire.Join(Start(revision), [2], Wire.Frame(0), Wire.Message([1]), Wire.Message([0, 97]));
        for (int piece = 1; piece <= stream.Length; piece++)
        {
            (ZmtpHandshake? handshake, Session? session) = Run(ZmtpSocketType.Pub, stream, piece: piece);
            Assert.Equal(["active Sub 2.0 ", "message [01] = Subscribe []", "message [0061] = Cancel [61]"], session.Events);
            Assert.Equal(Wire.Join(OurStart, [1, 0, 0]), session.Sent);
            Assert.False(handshake.Peer!.UsesSubscribeCommands);
            Assert.False(handshake.Peer.UnderstandsPing);
        }
    }

    [Theory]
    [InlineData(0, "Pair", "Pair", 0)]
    [InlineData(1, "Pub", "Sub", 2)]
    [InlineData(2, "Sub", "XPub", 9)]
    [InlineData(3, "Req", "Rep", 4)]
    [InlineData(4, "Rep", "Req", 3)]
    [InlineData(5, "Dealer", "Router", 6)]
    [InlineData(6, "Router", "Dealer", 5)]
    [InlineData(7, "Pull", "Push", 8)]
    [InlineData(8, "Push", "Pull", 7)]
    [InlineData(9, "XPub", "XSub", 10)]
    [InlineData(10, "XSub", "Pub", 1)]
    public void Each_socket_type_has_its_number(byte number, string theirs, string ours, byte ourNumber)
    {
        ZmtpSocketType own = Enum.Parse<ZmtpSocketType>(ours);
        (ZmtpHandshake? handshake, Session? session) = Run(own, Wire.Join(Start(), [number], Wire.Frame(0)));
        Assert.Equal((ZmtpHandshakeState.Active, Enum.Parse<ZmtpSocketType>(theirs)), (handshake.State, handshake.Peer!.SocketType));
        Assert.Equal(Wire.Join(OurStart, [ourNumber, 0, 0]), session.Sent);
    }

    [Theory]
    [InlineData(255, 42)]
    [InlineData(1, 0)]
    [InlineData(255, 0)]
    public void Identities_are_sent_in_both_directions(int length, byte value)
    {
        byte[] identity = Wire.Filled(length, value);
        var handshake = new ZmtpHandshake(new ZmtpHandshakeOptions(ZmtpSocketType.Dealer, "me"u8.ToArray()));
        Session session = new Session(ZmtpLimits.Default, handshake).Feed(Wire.Join(Start(), [6], Wire.Frame(0, identity), Wire.Message([], [7])));
        Assert.Equal(identity, handshake.Peer!.Identity.ToArray());
        Assert.Equal(Wire.Join(OurStart, [5, 0, 2], Wire.Ascii("me")), session.Sent);
        Assert.Equal("message [] [07]", session.Events[1]);
    }

    public static TheoryData<string, byte[], string> Refused => new()
    {
        { "another pair", [8, 0, 0], nameof(ZmtpError.SocketTypeIncompatible) },
        { "unknown type", [11], nameof(ZmtpError.SocketTypeUnknown) },
        { "type 255", [255], nameof(ZmtpError.SocketTypeUnknown) },
        { "identity with MORE", [5, 1], nameof(ZmtpError.FrameFlagsReserved) },
        { "long identity", [5, 2, 0x7F, 0xFF], nameof(ZmtpError.FrameFlagsReserved) },
    };

    [Theory]
    [MemberData(nameof(Refused))]
    public void A_violation_of_the_RFC_is_refused_without_a_command(string what, byte[] says, string expected)
    {
        Assert.NotEmpty(what);
        (ZmtpHandshake? handshake, Session? session) = Run(ZmtpSocketType.Router, Wire.Join(Start(), says));
        Assert.Equal((ZmtpHandshakeState.Failed, expected), (handshake.State, handshake.Error.ToString()));
        Assert.Equal(Wire.Join(OurStart, [6, 0, 0]), session.Sent);
    }

    [Fact]
    public async Task An_old_subscriber_receives_the_messages_of_its_subscriptions()
    {
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher(o => o with { HeartbeatInterval = TimeSpan.FromMilliseconds(20) });
        using RawPeer peer = new RawPeer(publisher.Bind(AnyPort)).Send(Start(), [2], Wire.Frame(0), Wire.Message([1, 97]));
        await rig.InterestAsync("+a");
        await Task.Delay(100, TestContext.Current.CancellationToken);
        Assert.Equal(1, await rig.PublishAsync(publisher, Wire.Ascii("abc"), Wire.Filled(300)));
        byte[] expected = Wire.Join(OurStart, [1, 0, 0], Wire.Message(Wire.Ascii("abc"), Wire.Filled(300)));
        Assert.Equal(expected, peer.Read(expected.Length));
        Assert.Equal(new Version(2, 0), Assert.Single(publisher.Peers).ProtocolVersion);
        peer.Send(Wire.Message([0, 97]));
        await rig.InterestAsync("-a");
    }

    [Fact]
    public async Task An_old_publisher_gets_subscriptions_as_messages()
    {
        await using var rig = new Rig();
        LoopSubscriber subscriber = rig.Subscriber();
        subscriber.Subscribe("a"u8);
        using RawPeer peer = new RawPeer(subscriber.Bind(AnyPort)).Send(Start(), [1], Wire.Frame(0));
        byte[] expected = Wire.Join(OurStart, [2, 0, 0], Wire.Message([1, 97]));
        Assert.Equal(expected, peer.Read(expected.Length));
        peer.Send(Wire.Message(Wire.Ascii("ab"), []));
        Assert.Equal("6162,-", await rig.Messages.TakeAsync());
    }

    [Fact]
    public async Task A_ZMTP_1_peer_is_refused_with_a_reason()
    {
        await using var rig = new Rig();
        ZeroMqEndpoint endpoint = rig.Publisher().Bind(AnyPort);
        foreach (byte[] greeting in new byte[][] { [1, 0], [5, 0, 1, 2, 3, 4], [0xFF, 0, 0, 0, 0, 0, 0, 1, 1, 0] })
        {
            using RawPeer peer = new RawPeer(endpoint).Send(greeting);
            Assert.Contains("ZMTP/1.0", (await rig.EventAsync(ZeroMqEventKind.PeerRefused)).Reason, StringComparison.Ordinal);
            Assert.Equal(OurStart, peer.ReadToEnd());
        }
    }

    private static byte[] Start(byte revision = 1) => [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, revision];

    private static (ZmtpHandshake Handshake, Session Session) Run(ZmtpSocketType own, byte[] stream, int piece = int.MaxValue)
    {
        var handshake = new ZmtpHandshake(new ZmtpHandshakeOptions(own));
        return (handshake, new Session(ZmtpLimits.Default, handshake).FeedInPieces(stream, piece));
    }
}
