using Broker.Transport;
using Broker.ZeroMq.Sockets;
using Broker.ZeroMq.Zmtp;

namespace Broker.ZeroMq.Subscribing;

/// <summary>SUB or XSUB: receives the messages whose first frame begins with a prefix that was subscribed to.</summary>
/// <remarks>
/// Messages go to the handler on the loop of the peer they come from, whole and borrowed. Publishers filter, by the subscriptions they
/// are told of; what they send nevertheless is filtered here. On each connect and reconnect the peer is told of all subscriptions.
/// </remarks>
public sealed class LoopSubscriber : LoopSocket
{
    private readonly LoopSubscriptions[] _subscriptions;
    private readonly Lock _order = new();
    private readonly Lock _peersGate = new();
    private volatile SubscriberSession[] _peers = [];
    private long _dropped;

    /// <summary>Creates a socket without endpoints and subscriptions.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public LoopSubscriber(EventLoopGroup loops, ZeroMqMessageHandler onMessage, LoopSubscriberOptions? options = null)
        : base(loops, home: null, (options ??= new LoopSubscriberOptions()).AnnounceExtended ? ZmtpSocketType.XSub : ZmtpSocketType.Sub, options)
    {
        ArgumentNullException.ThrowIfNull(onMessage);
        Options = options;
        OnMessage = onMessage;
        _subscriptions = new LoopSubscriptions[loops.Count];
        for (int i = 0; i < _subscriptions.Length; i++)
        {
            _subscriptions[i] = new LoopSubscriptions();
        }
    }

    /// <summary>How it was set up.</summary>
    public LoopSubscriberOptions Options { get; }

    internal ZeroMqMessageHandler OnMessage { get; }

    /// <summary>Told of each peer that was taken and is gone, on its loop. Set before the first endpoint.</summary>
    internal Action<ZeroMqPeer>? OnPeerGone { get; set; }

    /// <summary>
    /// Asks for messages whose first frame begins with <paramref name="prefix"/>; the empty one asks for all. Additive: a prefix that was
    /// subscribed to twice must be given up twice. Any thread; takes effect when the loops come to it, in the order of the calls.
    /// </summary>
    public void Subscribe(ReadOnlySpan<byte> prefix) => Change(prefix.ToArray(), subscribe: true);

    /// <summary>Takes back one <see cref="Subscribe"/>; without one it does nothing. Any thread.</summary>
    public void Unsubscribe(ReadOnlySpan<byte> prefix) => Change(prefix.ToArray(), subscribe: false);

    /// <summary>The publishers that have completed their handshake, as of now. Any thread.</summary>
    public IReadOnlyList<ZeroMqPeer> Peers => Array.ConvertAll(_peers, session => session.Peer!);

    /// <summary>Messages that were not sent upstream to a publisher, because it takes too little. Any thread, a moment's truth.</summary>
    public long MessagesDropped => Interlocked.Read(ref _dropped);

    private protected override long Dropped => MessagesDropped;

    /// <summary>
    /// Sends a message upstream to all publishers: an XPUB's application receives it, a PUB ignores it. For one at
    /// <see cref="LoopSubscriberOptions.MaxPendingBytes"/> it is dropped and counted. On the thread of <paramref name="loop"/>.
    /// </summary>
    /// <param name="loop">The caller's loop, of the socket's group.</param>
    /// <param name="encoded">
    /// The frames of exactly one message, as <see cref="Zmtp.Framing.ZmtpWriter"/> makes them; not one frame that begins with 0 or 1, for that is a
    /// subscription.
    /// </param>
    /// <returns>How many publishers it was queued for.</returns>
    public int SendUpstream(EventLoop loop, ReadOnlySpan<byte> encoded)
    {
        ArgumentNullException.ThrowIfNull(loop);
        int reached = 0;
        foreach (var peer in _peers)
        {
            if (peer.TrySendUpstream(loop, encoded))
            {
                reached++;
            }
            else
            {
                Interlocked.Increment(ref _dropped);
            }
        }

        return reached;
    }

    internal void Add(SubscriberSession session)
    {
        lock (_peersGate)
        {
            _peers = [.. _peers, session];
        }
    }

    internal void Remove(SubscriberSession session)
    {
        lock (_peersGate)
        {
            _peers = Array.FindAll(_peers, other => other != session);
        }
    }

    internal LoopSubscriptions SubscriptionsOf(EventLoop loop) => _subscriptions[loop.Index];

    internal override PeerSession CreateSession(EventLoop loop, string endpoint, OutgoingLink? link) =>
        new SubscriberSession(this, loop, endpoint, link);

    private void Change(byte[] prefix, bool subscribe)
    {
        // Every loop must see the changes in the same order.
        lock (_order)
        {
            for (int i = 0; i < _subscriptions.Length; i++)
            {
                var subscriptions = _subscriptions[i];
                Loops[i].Post(() => subscriptions.Change(prefix, subscribe));
            }
        }
    }
}
