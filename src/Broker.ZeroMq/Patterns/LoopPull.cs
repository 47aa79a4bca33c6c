using Broker.Transport;

namespace Broker.ZeroMq.Loops;

/// <summary>
/// PULL on an event loop: receives from all PUSH peers in turn, several messages at a time, and keeps the order of each
/// peer's messages (RFC 30).
/// </summary>
/// <remarks>
/// The handler gets whole messages on the loop. A message is valid only during the call. If the handler refuses a
/// message, the message stays in the receive buffer and nothing more is read from its peer until the peer is resumed.
/// So TCP flow control slows down a PUSH that sends more than the handler takes.
/// </remarks>
public sealed class LoopPull : SingleLoopSocket
{
    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="loop">The socket's loop, for example from <see cref="EventLoopGroup.Next"/>.</param>
    /// <param name="onMessage">Handles the received messages.</param>
    /// <param name="options">The options; null for a new <see cref="LoopMessageOptions"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public LoopPull(EventLoop loop, ZeroMqMessageHandler onMessage, LoopMessageOptions? options = null)
        : this(loop, new HandlerSink(onMessage ?? throw new ArgumentNullException(nameof(onMessage))), options)
    {
    }

    internal LoopPull(EventLoop loop, InboundSink sink, LoopMessageOptions? options = null)
        : base(loop, ZmtpSocketType.Pull, options ?? new LoopMessageOptions(), sink)
    {
    }

    private protected override bool Sends => false;
}
