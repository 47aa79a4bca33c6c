namespace Broker.Bridge.Requests;

/// <summary>What becomes of a request that nobody is there to answer.</summary>
public enum NoResponders
{
    /// <summary>It is kept and sent again until somebody answers or its time is over: as a REQ waits whose peer is away.</summary>
    Hold,

    /// <summary>It is dropped and counted; the client gets nothing.</summary>
    Drop,

    /// <summary>The client gets <see cref="RequestRouteOptions.NoRespondersReply"/>.</summary>
    Reply,
}
