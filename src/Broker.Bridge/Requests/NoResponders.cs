namespace Broker.Bridge;

/// <summary>The reaction of a route to a request if nobody subscribes to its subject.</summary>
public enum NoResponders
{
    /// <summary>
    /// Keeps the request and publishes it again until a reply comes or the time to live is over. A REQ whose peer is
    /// away waits in the same way.
    /// </summary>
    Hold,

    /// <summary>Drops and counts the request. The client gets no reply.</summary>
    Drop,

    /// <summary>
    /// Drops and counts the request, and sends <see cref="RequestRouteOptions.NoRespondersReply"/> to the client.
    /// </summary>
    Reply,
}
