using Broker.ZeroMq;

namespace Broker.Bridge;

/// <summary>A connected ZeroMQ client and the number of its pending requests. Used on the route's loop only.</summary>
internal sealed class RequestClient(ZeroMqPeer peer)
{
    internal ZeroMqPeer Peer { get; } = peer;

    /// <summary>How many requests of this client wait for replies.</summary>
    internal int Pending { get; set; }

    /// <summary>The size of this client's pending requests in bytes.</summary>
    internal long PendingBytes { get; set; }

    /// <summary>Whether the client is paused because it has the maximum of pending requests.</summary>
    internal bool IsWaiting { get; set; }
}
