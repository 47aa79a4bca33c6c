namespace Broker.Transport;

/// <summary>The inbound events of a socket that are reported. Failures are always reported.</summary>
internal enum Interest
{
    /// <summary>No events, because the end of the stream has been received.</summary>
    None,

    /// <summary>The end of the peer's stream. It is reported once.</summary>
    End,

    /// <summary>Bytes and the end of the peer's stream. They are reported again until they are received.</summary>
    Bytes,
}
