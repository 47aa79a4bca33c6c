using Broker.Transport;
using Broker.ZeroMq.Sockets;
using Broker.ZeroMq.Zmtp;

namespace Broker.ZeroMq.Pipeline;

/// <summary>PUSH on an event loop: gives each message to one PULL peer, in turn among those that are not full (RFC 30).</summary>
public sealed class LoopPush : DistributingSocket
{
    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="loop">The loop it lives on; <see cref="EventLoopGroup.Next"/> gives one.</param>
    /// <param name="options">Default: those of a new <see cref="LoopMessageOptions"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public LoopPush(EventLoop loop, LoopMessageOptions? options = null)
        : base(loop, ZmtpSocketType.Push, (options ?? new LoopMessageOptions()) with { Limits = DiscardSink.Limits }, DiscardSink.Instance)
    {
    }
}
