namespace Broker.ZeroMq.Loops;

/// <summary>The result of a send on a <see cref="LoopRouter"/>.</summary>
public enum RouteResult
{
    /// <summary>The message was queued for its peer.</summary>
    Sent,

    /// <summary>
    /// The message was dropped and counted: no peer has the routing id or the peer is full, and the socket is not
    /// mandatory.
    /// </summary>
    Dropped,

    /// <summary>
    /// The peer is at its high-water mark; <see cref="LoopRouter.OnWritable"/> is called when it has room. Only on
    /// mandatory sockets.
    /// </summary>
    Full,

    /// <summary>No peer has the routing id. Only on mandatory sockets.</summary>
    Unroutable,
}
