namespace Broker.Transport;

/// <summary>Which inbound events of a socket are reported; failures are always reported.</summary>
internal enum Interest
{
    /// <summary>None: the end of the stream has been received.</summary>
    None,

    /// <summary>The end of the peer's stream, once.</summary>
    End,

    /// <summary>Bytes and the end of the peer's stream, as long as they are there.</summary>
    Bytes,
}
