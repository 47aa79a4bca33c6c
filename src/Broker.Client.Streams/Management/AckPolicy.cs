namespace Broker.Client.Streams;

/// <summary>Which messages a consumer expects to be acknowledged.</summary>
public enum AckPolicy
{
    /// <summary>None: a message counts as handled when it is delivered.</summary>
    None,

    /// <summary>An acknowledgement also acknowledges all messages before it.</summary>
    All,

    /// <summary>Each message.</summary>
    Explicit,

    /// <summary>A value of a newer server. It cannot be sent.</summary>
    Other,
}
