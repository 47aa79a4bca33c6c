using Broker.Transport;

namespace Broker.ZeroMq.Loops;

/// <summary>
/// SUB or XSUB on event loops: receives the messages whose first frame begins with a subscribed prefix.
/// </summary>
/// <remarks>
/// The handler gets each message as a whole, on the loop of the peer that sent it. A message is valid only during the
/// call. Publishers filter by the subscriptions that they have received. This socket filters the received messages
/// again. After each connect and reconnect, it sends all subscriptions to the peer.
/// </remarks>
public sealed class LoopSubscriber : LoopSocket
{
    private readonly LoopSubscriptions[] _subscriptions;
    private readonly Lock _order = new();
    private readonly Lock _peersGate = new();
    private volatile SubscriberSession[] _peers = [];
    private long _dropped;

    /// <summary>Creates a socket without endpoints and without subscriptions.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public LoopSubscriber(EventLoopGroup loops, ZeroMqMessageHandler onMessage, LoopSubscriberOptions? options = null)
        : base(
            loops,
            singleLoop: null,
            (options ??= new LoopSubscriberOptions()).AnnounceExtended ? ZmtpSocketType.XSub : ZmtpSocketType.Sub,
            options)
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

    /// <summary>The options that the socket was created with.</summary>
    public LoopSubscriberOptions Options { get; }

    internal ZeroMqMessageHandler OnMessage { get; }

    /// <summary>Whether the socket is a DISH: it subscribes to groups, which match as a whole.</summary>
    internal bool HasGroups => SocketType == ZmtpSocketType.Dish;

    /// <summary>
    /// Called on a peer's loop when an accepted peer has disconnected. Set it before the first endpoint is bound or
    /// connected.
    /// </summary>
    internal Action<ZeroMqPeer>? OnPeerDisconnected { get; set; }

    /// <summary>
    /// Subscribes to messages whose first frame begins with <paramref name="prefix"/>; the empty prefix subscribes to
    /// all messages. Subscriptions are counted: a prefix that was subscribed to twice must be unsubscribed twice. May
    /// be called on any thread. The loops carry out the changes in the order of the calls; a change takes effect on a
    /// loop when the loop has carried it out.
    /// </summary>
    public void Subscribe(ReadOnlySpan<byte> prefix) => Change(prefix.ToArray(), subscribe: true);

    /// <summary>
    /// Cancels one <see cref="Subscribe"/> of the same prefix. Does nothing if the prefix is not subscribed. May be
    /// called on any thread.
    /// </summary>
    public void Unsubscribe(ReadOnlySpan<byte> prefix) => Change(prefix.ToArray(), subscribe: false);

    /// <summary>
    /// The publishers with a completed handshake. May be read on any thread; the list may be out of date at once.
    /// </summary>
    public IReadOnlyList<ZeroMqPeer> Peers => Array.ConvertAll(_peers, session => session.Peer!);

    /// <summary>
    /// The number of upstream messages that were dropped because the queue of a publisher had no room. May be read on
    /// any thread; the value may be out of date at once.
    /// </summary>
    public long MessagesDropped => Interlocked.Read(ref _dropped);

    private protected override long Dropped => MessagesDropped;

    /// <summary>
    /// Sends a message upstream to all publishers: the application of an XPUB receives the message, and a PUB ignores
    /// it. The message is dropped and counted for each publisher whose queue has reached
    /// <see cref="LoopSubscriberOptions.MaxPendingBytes"/>. Must be called on the thread of <paramref name="loop"/>.
    /// </summary>
    /// <param name="loop">The loop of the calling thread, which must belong to the socket's group.</param>
    /// <param name="encoded">
    /// The frames of exactly one message in the format of <see cref="ZmtpWriter"/>. A single frame that begins with
    /// byte 0 or 1 is not allowed, because such a message is a subscription or a cancellation.
    /// </param>
    /// <returns>The number of publishers for which the message was queued.</returns>
    public int SendUpstream(EventLoop loop, ReadOnlySpan<byte> encoded)
    {
        ArgumentNullException.ThrowIfNull(loop);
        int reached = 0;
        foreach (SubscriberSession peer in _peers)
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

    internal override PeerSession CreateSession(EventLoop loop, string endpoint, OutgoingLink? link)
        => new SubscriberSession(this, loop, endpoint, link);

    private void Change(byte[] prefix, bool subscribe)
    {
        if (HasGroups)
        {
            ArgumentOutOfRangeException.ThrowIfGreaterThan(prefix.Length, ZmtpGroup.MaxLength, nameof(prefix));
            prefix = ZmtpGroup.ToPrefix(prefix, new byte[ZmtpGroup.MaxPrefix]).ToArray();
        }

        // All loops must see the changes in the same order.
        lock (_order)
        {
            for (int i = 0; i < _subscriptions.Length; i++)
            {
                LoopSubscriptions subscriptions = _subscriptions[i];
                Loops[i].Post(() => subscriptions.Change(prefix, subscribe));
            }
        }
    }
}
