using Broker.Transport;
using Broker.ZeroMq.Sockets;
using Broker.ZeroMq.Zmtp;

namespace Broker.ZeroMq.Exclusive;

/// <summary>PAIR on an event loop: one peer at a time, both ways; a second one is refused (RFC 31).</summary>
/// <remarks>
/// An endpoint that is connected to is the peer from then on, also while there is no connection. What is said of messages that are not
/// taken at <see cref="Pipeline.LoopPull"/> is true here.
/// </remarks>
public sealed class LoopPair : DistributingSocket
{
    private OutgoingLink? _link;

    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="loop">The loop it lives on; <see cref="EventLoopGroup.Next"/> gives one.</param>
    /// <param name="onMessage">Receives the messages.</param>
    /// <param name="options">Default: those of a new <see cref="LoopMessageOptions"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public LoopPair(EventLoop loop, ZeroMqMessageHandler onMessage, LoopMessageOptions? options = null)
        : this(loop, new HandlerSink(onMessage ?? throw new ArgumentNullException(nameof(onMessage))), options)
    {
    }

    internal LoopPair(EventLoop loop, InboundSink sink, LoopMessageOptions? options = null)
        : base(loop, ZmtpSocketType.Pair, options ?? new LoopMessageOptions(), sink)
    {
    }

    internal override string? RefusalOf(PeerSession session) =>
        Sessions.Count > 0 || (Volatile.Read(ref _link) is { } link && link != session.Link) ? "the socket has its peer already" : null;

    private protected override void OnConnecting(OutgoingLink link)
    {
        // A further endpoint is dialled and refused, until the first is given up.
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
