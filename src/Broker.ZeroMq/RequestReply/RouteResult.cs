namespace Broker.ZeroMq.RequestReply;

/// <summary>What became of a message that was given to a <see cref="LoopRouter"/>.</summary>
public enum RouteResult
{
    /// <summary>It is queued for its peer.</summary>
    Sent,

    /// <summary>It was dropped and counted: nobody has that routing id, or the peer is full, and the socket is not mandatory.</summary>
    Dropped,

    /// <summary>The peer is at its high-water mark; <see cref="LoopRouter.OnWritable"/> tells of room. Mandatory sockets only.</summary>
    Full,

    /// <summary>Nobody has that routing id. Mandatory sockets only.</summary>
    Unroutable,
}
