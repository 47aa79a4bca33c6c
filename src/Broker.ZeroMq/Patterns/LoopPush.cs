using Broker.Transport;

namespace Broker.ZeroMq.Loops;

/// <summary>
/// PUSH on an event loop: sends each message to one PULL peer, in turn among the peers that have room (RFC 30).
/// </summary>
public sealed class LoopPush : DistributingSocket
{
    /// <summary>Creates a socket without endpoints.</summary>
    /// <param name="loop">The socket's loop, for example from <see cref="EventLoopGroup.Next"/>.</param>
    /// <param name="options">The options; null for a new <see cref="LoopMessageOptions"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public LoopPush(EventLoop loop, LoopMessageOptions? options = null)
        : base(
            loop,
            ZmtpSocketType.Push,
            (options ?? new LoopMessageOptions()) with { Limits = DiscardSink.Limits },
            DiscardSink.Instance)
    {
    }
}
