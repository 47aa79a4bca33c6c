using Broker.ZeroMq.Sockets;

namespace Broker.Bridge.Requests;

/// <summary>A ZeroMQ program that answers, as long as its connection lasts. On the route's loop.</summary>
internal sealed class Worker(OutboundPipe pipe)
{
    internal OutboundPipe Pipe { get; } = pipe;

    /// <summary>What it was given and has not answered.</summary>
    internal int Pending { get; set; }
}
