namespace Broker.Client.Streams;

/// <summary>The pace at which a consumer delivers stored messages.</summary>
public enum ReplayPolicy
{
    /// <summary>As fast as possible.</summary>
    Instant,

    /// <summary>With the pauses between which they were stored.</summary>
    Original,

    /// <summary>A value of a newer server. It cannot be sent.</summary>
    Other,
}
