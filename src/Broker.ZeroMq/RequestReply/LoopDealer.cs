using Broker.Transport;
using Broker.ZeroMq.Sockets;
using Broker.ZeroMq.Zmtp;

namespace Broker.ZeroMq.RequestReply;

/// <summary>
/// DEALER on an event loop: gives each message to one peer, in turn among those that are not full, and receives from all (RFC 28).
/// </summary>
/// <remarks>
/// Messages go in and out as they are. Towards REP peers the application writes the empty frame before the body itself, and finds it before
/// replies. What is said of messages that are not taken at <see cref="Pipeline.LoopPull"/> is true here.
/// </remarks>
public sealed class LoopDealer : DistributingSocket
{
    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="loop">The loop it lives on; <see cref="EventLoopGroup.Next"/> gives one.</param>
    /// <param name="onMessage">Receives the messages.</param>
    /// <param name="options">Default: those of a new <see cref="LoopRoutedOptions"/>.</param>
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
