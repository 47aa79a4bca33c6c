using Broker.Transport;
using Broker.ZeroMq.Sockets;
using Broker.ZeroMq.Zmtp;

namespace Broker.ZeroMq.Pipeline;

/// <summary>PULL on an event loop: receives from all its PUSH peers, each in its order, a slice of each in turn (RFC 30).</summary>
/// <remarks>
/// Messages go to the handler on the loop, whole and borrowed. One that the handler does not take stays where it is, and its peer is read
/// no
/// further until it is resumed: so a PUSH that sends more than is taken is held up in the end, as by a slow network.
/// </remarks>
public sealed class LoopPull : SingleLoopSocket
{
    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="loop">The loop it lives on; <see cref="EventLoopGroup.Next"/> gives one.</param>
    /// <param name="onMessage">Receives the messages.</param>
    /// <param name="options">Default: those of a new <see cref="LoopMessageOptions"/>.</param>
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
