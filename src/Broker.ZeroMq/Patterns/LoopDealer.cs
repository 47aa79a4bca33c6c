using Broker.Transport;

namespace Broker.ZeroMq.Loops;

/// <summary>
/// DEALER on an event loop: sends each message to one peer, in turn among the peers that have room, and receives from
/// all peers (RFC 28).
/// </summary>
/// <remarks>
/// The socket changes no message. To talk to REP peers, the application itself adds the empty frame before the body of
/// a request and removes the empty frame from replies. <see cref="LoopPull"/> describes what happens to messages that
/// the handler refuses.
/// </remarks>
public sealed class LoopDealer : DistributingSocket
{
    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="loop">The socket's loop, for example from <see cref="EventLoopGroup.Next"/>.</param>
    /// <param name="onMessage">Handles the received messages.</param>
    /// <param name="options">The options; null for a new <see cref="LoopRoutedOptions"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public LoopDealer(EventLoop loop, ZeroMqMessageHandler onMessage, LoopRoutedOptions? options = null)
        : this(loop, new HandlerSink(onMessage ?? throw new ArgumentNullException(nameof(onMessage))), options)
    {
    }

    internal LoopDealer(EventLoop loop, InboundSink sink, LoopRoutedOptions? options = null)
        : base(loop, ZmtpSocketType.Dealer, options ?? new LoopRoutedOptions(), sink)
    {
    }
}
