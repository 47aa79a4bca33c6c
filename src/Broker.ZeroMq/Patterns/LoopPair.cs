using Broker.Transport;

namespace Broker.ZeroMq.Loops;

/// <summary>
/// PAIR on an event loop: exchanges messages with one peer at a time, in both directions. A second peer is refused (RFC
/// 31).
/// </summary>
/// <remarks>
/// After the first Connect, the socket accepts only the peer at that endpoint, even while there is no connection to it.
/// <see cref="LoopPull"/> describes what happens to messages that the handler refuses.
/// </remarks>
public sealed class LoopPair : DistributingSocket
{
    private OutgoingLink? _link;

    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="loop">The socket's loop, for example from <see cref="EventLoopGroup.Next"/>.</param>
    /// <param name="onMessage">Handles the received messages.</param>
    /// <param name="options">The options; null for a new <see cref="LoopMessageOptions"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public LoopPair(EventLoop loop, ZeroMqMessageHandler onMessage, LoopMessageOptions? options = null)
        : this(loop, new HandlerSink(onMessage ?? throw new ArgumentNullException(nameof(onMessage))), options)
    {
    }

    internal LoopPair(EventLoop loop, InboundSink sink, LoopMessageOptions? options = null)
        : base(loop, ZmtpSocketType.Pair, options ?? new LoopMessageOptions(), sink)
    {
    }

    internal override string? RefusalOf(PeerSession session)
        => Sessions.Any(static other => !other.IsOver) || (Volatile.Read(ref _link) is { } link && link != session.Link)
            ? "the socket already has a peer"
            : null;

    private protected override void OnConnecting(OutgoingLink link)
    {
        // The socket connects to a second endpoint too, but refuses the peer there until the first endpoint is
        // disconnected.
        if (Interlocked.CompareExchange(ref _link, link, null) is null)
        {
            base.OnConnecting(link);
        }
    }

    private protected override void OnDisconnecting(OutgoingLink link)
    {
        base.OnDisconnecting(link);
        Interlocked.CompareExchange(ref _link, null, link);
    }
}
