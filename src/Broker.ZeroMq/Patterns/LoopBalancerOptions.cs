namespace Broker.ZeroMq.Loops;

/// <summary>
/// The options of a <see cref="LoopBalancer"/>. Immutable; one instance may be used for several sockets.
/// </summary>
public sealed record LoopBalancerOptions : LoopRoutedOptions
{
    /// <summary>
    /// Whether a peer gets a request only after it has asked for one and <see cref="BalancedPeer.MarkReady"/> was
    /// called. The socket then announces itself as a ROUTER, so that REQ sockets may be its peers. Default false.
    /// </summary>
    public bool OnDemand { get; init; }
}
