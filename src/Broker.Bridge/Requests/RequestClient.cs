using Broker.ZeroMq.Sockets;

namespace Broker.Bridge.Requests;

/// <summary>A ZeroMQ program that asks. On the route's loop.</summary>
internal sealed class RequestClient(ZeroMqPeer peer)
{
    internal ZeroMqPeer Peer { get; } = peer;

    /// <summary>Its requests that wait for answers.</summary>
    internal int Pending { get; set; }

    /// <summary>Whether one more request of it is held because it has as many as it may.</summary>
    internal bool IsWaiting { get; set; }
}
