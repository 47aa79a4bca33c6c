using Broker.Transport;
using Broker.ZeroMq.Sockets;

namespace Broker.ZeroMq.Publishing;

/// <summary>PUB or XPUB: sends each message to the peers that subscribed to a prefix of its first frame.</summary>
/// <remarks>
/// <para>
/// Publishing runs on a loop of the socket's group and stages the message for every peer that wants it; the loop sends it at the end
/// of its turn. Nothing is allocated and nothing waits: a message that does not fit a peer's queue is dropped for that peer (see
/// <see cref="LoopPublisherOptions.HighWaterMark"/>). Publish no more per turn than the queues can take, and go on in a posted action:
/// what peers took is only noticed between turns.
/// </para>
/// <para>
/// Every loop of the group may publish at the same time. A loop keeps its own order towards each peer; between loops there is none.
/// Other threads post to a loop: <c>loops[0].Post(() => socket.Publish(loops[0], topic, body))</c>.
/// </para>
/// </remarks>
public sealed partial class LoopPublisher : LoopSocket
{
    private readonly Lock _peersGate = new();
    private volatile PublisherSession[] _peers = [];
    private readonly SharedSubscriptions _subscriptions;
    private readonly HeldBudget _budget;
    private volatile bool _closed;

    /// <summary>Creates a socket without endpoints.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public LoopPublisher(EventLoopGroup loops, LoopPublisherOptions? options = null)
        : base(loops, home: null, (options ??= new LoopPublisherOptions()).SocketType, options)
    {
        Options = options;
        _budget = loops.HeldBudget;
        Budget = new SubscriptionBudget(options.MaxSubscriptionMemory, options.MaxPeers, options.Manual ? 3 : 2);
        _subscriptions = options.OnInterest is null
            ? new SharedSubscriptions(loops, int.MaxValue, int.MaxValue)
            : new SharedSubscriptions(loops, options.MaxInterestPrefixes, options.MaxInterestBytes);
    }

    internal SubscriptionBudget Budget { get; }

    /// <summary>How it was set up.</summary>
    public LoopPublisherOptions Options { get; }

    /// <summary>The peers that have completed their handshake, as of now.</summary>
    public IReadOnlyList<ZeroMqPeer> Peers => Array.ConvertAll(_peers, session => session.Peer!);

    /// <summary>Messages dropped at high-water marks, over all peers there were.</summary>
    public long MessagesDropped => Interlocked.Read(ref _dropped);

    private protected override long Dropped => MessagesDropped;

    /// <summary>
    /// Called when a message was refused, because of <see cref="LoopPublisherOptions.NoDrop"/>, and the peer that had no room has some again
    /// or is gone; on that peer's loop. Set it before the first message is published. What it throws closes the peer's connection.
    /// </summary>
    public Action? OnWritable { get; set; }

    /// <summary>
    /// Lets a peer of a manual socket have what begins with the prefix. Any thread; takes effect when the peer's loop comes to it. A peer
    /// that is gone, or at its limits, gets nothing.
    /// </summary>
    public void Subscribe(ZeroMqPeer peer, ReadOnlySpan<byte> prefix) => Grant(peer, prefix.ToArray(), subscribes: true);

    /// <summary>Takes back what <see cref="Subscribe"/> gave. Any thread.</summary>
    public void Unsubscribe(ZeroMqPeer peer, ReadOnlySpan<byte> prefix) => Grant(peer, prefix.ToArray(), subscribes: false);

    private void Grant(ZeroMqPeer peer, byte[] prefix, bool subscribes)
    {
        ArgumentNullException.ThrowIfNull(peer);
        if (!Options.Manual || peer.Session is not PublisherSession session || session.Socket != this)
        {
            throw new InvalidOperationException("This is for peers of a socket whose option Manual is set.");
        }

        session.Loop.Run(() => session.Grant(prefix, subscribes));
    }

    /// <summary>Told of each peer that was taken and is gone, on its loop. Set before the first endpoint.</summary>
    internal Action<ZeroMqPeer>? OnPeerGone { get; set; }

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

    private protected override void OnEnoughMemory()
    {
        foreach (var peer in _peers)
        {
            peer.Loop.Post(peer.TellOfRoom);
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
