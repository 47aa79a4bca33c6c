using Broker.ZeroMq.Loops;

namespace Broker.Bridge;

/// <summary>A connected ZeroMQ worker and the number of its pending requests. Used on the route's loop only.</summary>
internal sealed class Worker(OutboundPipe pipe)
{
    internal OutboundPipe Pipe { get; } = pipe;

    /// <summary>How many requests this worker has received and not answered.</summary>
    internal int Pending { get; set; }
}
