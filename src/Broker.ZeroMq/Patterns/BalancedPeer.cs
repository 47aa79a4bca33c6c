namespace Broker.ZeroMq.Loops;

/// <summary>
/// A peer of a <see cref="LoopBalancer"/> and the number of its pending requests. Use it on the socket's loop.
/// </summary>
public sealed class BalancedPeer
{
    internal BalancedPeer(OutboundPipe pipe) => Pipe = pipe;

    /// <summary>The connected peer; null after it has disconnected.</summary>
    public ZeroMqPeer? Peer => Pipe.Peer;

    /// <summary>
    /// Whether the peer may get a request. False only on a socket that sends on demand
    /// (<see cref="LoopBalancerOptions.OnDemand"/>), until the peer has asked.
    /// </summary>
    public bool IsReady { get; internal set; }

    /// <summary>A number that the application stores with the peer, such as that of its request.</summary>
    public ulong Tag { get; set; }

    /// <summary>The number of requests that were sent to the peer and not completed.</summary>
    public int Pending { get; internal set; }

    internal OutboundPipe Pipe { get; }

    /// <summary>
    /// Ends one pending request: its reply was received, or the caller no longer waits for the reply.
    /// </summary>
    public void Complete() => Pending--;

    /// <summary>The peer has asked for a request. See <see cref="LoopBalancerOptions.OnDemand"/>.</summary>
    public void MarkReady() => IsReady = true;
}
