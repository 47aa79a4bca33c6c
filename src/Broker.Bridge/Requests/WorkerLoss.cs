namespace Broker.Bridge;

/// <summary>What a route does with the pending requests of a worker that disconnects.</summary>
public enum WorkerLoss
{
    /// <summary>
    /// Sends an empty reply with the header <c>Nats-Service-Error</c> to the requester. It remains unknown whether the
    /// worker has processed the request. If the requester is a ZeroMQ client of a request route, the client receives
    /// <see cref="RequestRouteOptions.ServiceErrorReply"/>.
    /// </summary>
    Reply,

    /// <summary>Sends no reply. The requester waits for its own time-out, as in ZeroMQ.</summary>
    Silence,
}
