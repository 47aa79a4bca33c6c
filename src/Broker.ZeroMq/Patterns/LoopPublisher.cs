using Broker.Transport;

namespace Broker.ZeroMq.Loops;

/// <summary>
/// PUB or XPUB on event loops: sends each message to the peers that subscribed to a prefix of its first frame.
/// </summary>
/// <remarks>
/// <para>
/// Publish runs on a loop of the socket's group and writes the message to the write buffer of every peer that wants it;
/// the loop flushes the buffers at the end of its iteration. Publish does not allocate and does not wait: a message
/// that does not fit into a peer's queue is dropped for that peer (see
/// <see cref="LoopPublisherOptions.HighWaterMark"/>). In one iteration, publish no more than fits into the queues, and
/// publish the rest in a posted action: the loop notices only between iterations what the peers have accepted.
/// </para>
/// <para>
/// All loops of the group may publish at the same time. The messages that one loop publishes reach a peer in order;
/// messages of different loops have no order. Other threads post to a loop:
/// <c>loops[0].Post(() => socket.Publish(loops[0], topic, body))</c>.
/// </para>
/// </remarks>
public sealed partial class LoopPublisher : LoopSocket
{
    private readonly Lock _peersGate = new();
    private volatile PublisherSession[] _peers = [];
    private readonly SharedSubscriptions _subscriptions;
    private readonly MemoryBudget _budget;
    private volatile bool _closed;

    /// <summary>Creates a socket without endpoints.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public LoopPublisher(EventLoopGroup loops, LoopPublisherOptions? options = null)
        : base(loops, singleLoop: null, (options ??= new LoopPublisherOptions()).SocketType, options)
    {
        Options = options;
        _budget = loops.MemoryBudget;
        Budget = new SubscriptionBudget(options.MaxSubscriptionMemory, options.MaxPeers, options.Manual ? 3 : 2);
        _subscriptions = options.OnInterest is null
            ? new SharedSubscriptions(loops, int.MaxValue, int.MaxValue)
            : new SharedSubscriptions(loops, options.MaxInterestPrefixes, options.MaxInterestBytes);
    }

    internal SubscriptionBudget Budget { get; }

    /// <summary>Whether the socket is a RADIO: the topic of a message is a group, which matches as a whole.</summary>
    internal bool HasGroups => SocketType == ZmtpSocketType.Radio;

    /// <summary>The options that the socket was created with.</summary>
    public LoopPublisherOptions Options { get; }

    /// <summary>The peers with a completed handshake. The list may be out of date at once.</summary>
    public IReadOnlyList<ZeroMqPeer> Peers => Array.ConvertAll(_peers, session => session.Peer!);

    /// <summary>The number of messages that were dropped because a peer had no room, summed over all peers.</summary>
    public long MessagesDropped => Interlocked.Read(ref _dropped);

    private protected override long Dropped => MessagesDropped;

    /// <summary>
    /// Called when a peer that had no room has room again or has disconnected, if a message was refused because of that
    /// peer (<see cref="LoopPublisherOptions.NoDrop"/>). The callback runs on that peer's loop. An exception that it
    /// throws closes the peer's connection. Set it before the first message is published.
    /// </summary>
    public Action? OnWritable { get; set; }

    /// <summary>
    /// Adds a subscription for a peer of a manual socket. May be called on any thread. The peer's loop adds the
    /// subscription: at once if this call is on that loop, otherwise soon after. Does nothing if the peer has
    /// disconnected or has reached its subscription limits.
    /// </summary>
    public void Subscribe(ZeroMqPeer peer, ReadOnlySpan<byte> prefix)
        => Grant(peer, prefix.ToArray(), subscribes: true);

    /// <summary>Removes a subscription that <see cref="Subscribe"/> added. May be called on any thread.</summary>
    public void Unsubscribe(ZeroMqPeer peer, ReadOnlySpan<byte> prefix)
        => Grant(peer, prefix.ToArray(), subscribes: false);

    private void Grant(ZeroMqPeer peer, byte[] prefix, bool subscribes)
    {
        ArgumentNullException.ThrowIfNull(peer);
        if (!Options.Manual || peer.Session is not PublisherSession session || session.Socket != this)
        {
            throw new InvalidOperationException(
                "The peer must belong to this socket, and the socket's option Manual must be set.");
        }

        session.Loop.Run(() => session.Grant(prefix, subscribes));
    }

    /// <summary>
    /// Called on a peer's loop when an accepted peer has disconnected. Set it before the first endpoint is bound or
    /// connected.
    /// </summary>
    internal Action<ZeroMqPeer>? OnPeerDisconnected { get; set; }

    internal override PeerSession CreateSession(EventLoop loop, string endpoint, OutgoingLink? link)
        => new PublisherSession(this, loop, endpoint, link);

    // Publishing loops read the array without a lock, so it is replaced and never changed.
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

    private protected override void OnMemoryAvailable()
    {
        foreach (PublisherSession peer in _peers)
        {
            peer.Loop.Post(peer.NotifyRoom);
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
