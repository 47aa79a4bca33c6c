using Broker.Transport;
using Broker.ZeroMq.Sockets;
using Broker.ZeroMq.Zmtp.Subscriptions;

namespace Broker.ZeroMq.Publishing;

/// <summary>PUB or XPUB: sends each message to the peers that subscribed to a prefix of its first frame.</summary>
/// <remarks>
/// <para>
/// Publishing runs on a loop of the socket's group and stages the message for every peer that wants it; the loop sends it at the end
/// of its turn. Nothing is allocated and nothing waits: a message that does not fit a peer's queue is dropped for that peer (see
/// <see cref="PublisherOptions.HighWaterMark"/>). Publish no more per turn than the queues can take, and go on in a posted action:
/// what peers took is only noticed between turns.
/// </para>
/// <para>
/// Every loop of the group may publish at the same time. A loop keeps its own order towards each peer; between loops there is none.
/// Other threads post to a loop: <c>loops[0].Post(() => socket.Publish(loops[0], topic, body))</c>.
/// </para>
/// </remarks>
public sealed partial class PublisherSocket : ZeroMqSocket
{
    private readonly Lock _peersGate = new();
    private volatile PublisherSession[] _peers = [];
    private bool _closed;

    /// <summary>Creates a socket without endpoints.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public PublisherSocket(EventLoopGroup loops, PublisherOptions? options = null)
        : base(loops, options ??= new PublisherOptions())
    {
        Options = options;
        Budget = new SubscriptionBudget(options.MaxSubscriptionMemory, options.MaxPeers, options.OnInterest is null ? 1 : 2);
        _interest = options.OnInterest is null
            ? null
            : new PrefixSubscriptions(options.MaxInterestPrefixes, options.MaxInterestBytes);
    }

    internal SubscriptionBudget Budget { get; }

    /// <summary>How it was set up.</summary>
    public PublisherOptions Options { get; }

    /// <summary>The peers that have completed their handshake, as of now.</summary>
    public IReadOnlyList<ZeroMqPeer> Peers => Array.ConvertAll(_peers, session => session.Peer!);

    /// <summary>Messages dropped at high-water marks, over all peers there were.</summary>
    public long MessagesDropped => Interlocked.Read(ref _dropped);

    internal override PeerSession CreateSession(EventLoop loop, string endpoint, OutgoingLink? link) =>
        new PublisherSession(this, loop, endpoint, link);

    // Publishers read the array without a lock, so it is never changed, only replaced.
    internal void Add(PublisherSession session)
    {
        lock (_peersGate)
        {
            if (!_closed)
            {
                _peers = [.. _peers, session];
            }
        }
    }

    internal void Remove(PublisherSession session)
    {
        lock (_peersGate)
        {
            _peers = Array.FindAll(_peers, other => other != session);
        }
    }

    private protected override void OnClosing()
    {
        lock (_peersGate)
        {
            _closed = true;
            _peers = [];
        }
    }
}
