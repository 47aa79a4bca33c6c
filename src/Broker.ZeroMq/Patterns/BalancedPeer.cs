namespace Broker.ZeroMq.Loops;

/// <summary>
/// A peer of a <see cref="LoopBalancer"/> and the number of its pending requests. Use it on the socket's loop.
/// </summary>
public sealed class BalancedPeer
{
    internal BalancedPeer(OutboundPipe pipe) => Pipe = pipe;

    /// <summary>The connected peer; null after it has disconnected.</summary>
    public ZeroMqPeer? Peer => Pipe.Peer;

    /// <summary>The number of requests that were sent to the peer and not completed.</summary>
    public int Pending { get; internal set; }

    internal OutboundPipe Pipe { get; }

    /// <summary>Ends one pending request: its reply was received, or it is no longer awaited.</summary>
    public void Complete() => Pending--;
}
