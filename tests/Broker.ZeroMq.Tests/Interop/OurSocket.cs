using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Sockets;

namespace Broker.ZeroMq.Tests.Interop;

/// <summary>
/// A socket of this library in a conversation with another type: which side begins, and what each side sees of the
/// envelope.
/// </summary>
internal sealed class OurSocket
{
    private readonly Rig _rig;
    private readonly string _type;
    private readonly string _theirs;
    private readonly Func<ReadOnlyMemory<byte>[], bool>? _trySend;

    public OurSocket(Rig rig, string type, string theirs)
    {
        _rig = rig;
        _type = type;
        _theirs = theirs;
        (Socket, _trySend) = Make(rig, type, theirs);
    }

    public static (string Ours, string Theirs)[] Pairs { get; } =
    [
        ("PUB", "SUB"), ("PUB", "XSUB"), ("XPUB", "SUB"), ("XPUB", "XSUB"), ("SUB", "PUB"), ("SUB", "XPUB"), ("XSUB", "PUB"), ("XSUB", "XPUB"),
        ("PUSH", "PULL"), ("PULL", "PUSH"), ("PAIR", "PAIR"), ("DEALER", "DEALER"), ("DEALER", "ROUTER"), ("DEALER", "REP"),
        ("ROUTER", "DEALER"), ("ROUTER", "REQ"), ("ROUTER", "ROUTER"), ("REQ", "REP"), ("REQ", "ROUTER"), ("REP", "REQ"), ("REP", "DEALER"),
    ];

    public LoopSocket Socket { get; }

    /// <summary>Whether this side sends first.</summary>
    public bool Sends => _type is "PUB" or "XPUB" or "PUSH" or "PAIR" or "DEALER" or "REQ";

    /// <summary>Whether the other side returns what it received.</summary>
    public bool Receives => Sends && _theirs is not ("SUB" or "XSUB" or "PULL");

    /// <summary>Whether this side returns what it received.</summary>
    public bool Answers => _type is "ROUTER" or "REP";

    public async Task ConnectedAsync() => await _rig.EventAsync(ZeroMqEventKind.PeerConnected);

    public async Task SendAsync(byte[][] frames)
    {
        if (Socket is LoopPublisher publisher)
        {
            Assert.Equal(1, await _rig.PublishAsync(publisher, frames));
            return;
        }

        ReadOnlyMemory<byte>[] all = Array.ConvertAll(Said(frames), frame => new ReadOnlyMemory<byte>(frame));
        Assert.True(await _rig.OnLoopAsync(() => _trySend!(all)));
    }

    /// <summary>What the peer's application gets of a message from this side.</summary>
    public byte[][] SeenByPeer(byte[][] frames) => (_type, _theirs) switch
    {
        ("REQ", "ROUTER") => ["me"u8.ToArray(), [], .. frames],
        (_, "ROUTER") => ["me"u8.ToArray(), .. frames],
        _ => frames,
    };

    /// <summary>What this side gets when the peer returns what it received.</summary>
    public byte[][] SeenByUs(byte[][] frames) => Said(frames);

    /// <summary>What the peer's application must send so that this side gets the message and can return it.</summary>
    public byte[][] AsSaidByPeer(byte[][] frames) => (_type, _theirs) switch
    {
        ("REP", "DEALER") => [[], .. frames],
        ("ROUTER", "ROUTER") => ["me"u8.ToArray(), .. frames],
        _ => frames,
    };

    private byte[][] Said(byte[][] frames) => (_type, _theirs) is ("DEALER", "REP") ? [[], .. frames] : frames;

    private static (LoopSocket Socket, Func<ReadOnlyMemory<byte>[], bool>? TrySend) Make(Rig rig, string type, string theirs)
    {
        byte[] id = theirs is "ROUTER" ? "me"u8.ToArray() : [];
        switch (type)
        {
            case "PUB" or "XPUB":
                return (rig.Publisher(o => o with { AnnounceExtended = type == "XPUB" }), null);
            case "SUB" or "XSUB":
                LoopSubscriber subscriber = rig.Subscriber(o => o with { AnnounceExtended = type == "XSUB" });
                subscriber.Subscribe([]);
                return (subscriber, null);
            case "PUSH":
                LoopPush push = rig.Push();
                return (push, frames => push.TrySend(frames));
            case "PULL":
                return (rig.Pull(), null);
            case "PAIR":
                LoopPair pair = rig.Pair();
                return (pair, frames => pair.TrySend(frames));
            case "DEALER":
                LoopDealer dealer = rig.Dealer(o => o with { RoutingId = id });
                return (dealer, frames => dealer.TrySend(frames));
            case "REQ":
                LoopReq req = rig.Req(o => o with { RoutingId = id });
                return (req, frames => req.TrySend(frames));
            case "REP":
                LoopRep rep = null!;
                rep = rig.Rep((ZeroMqPeer _, in ZmtpMessage message) => rep.Reply(message));
                return (rep, null);
            default:
                LoopRouter router = null!;
                router = rig.Router(
                    o => o with { RoutingId = id },
                    (ZeroMqPeer peer, in ZmtpMessage message) => router.SendTo(peer.RoutingId.Span, message) == RouteResult.Sent);
                return (router, null);
        }
    }
}
