namespace Broker.Transport.Linux;

/// <summary>What of a socket's inbound side is reported; failures always are.</summary>
internal enum Interest
{
    /// <summary>Nothing: its end has been seen.</summary>
    None,

    /// <summary>The peer's end, once.</summary>
    End,

    /// <summary>Bytes and the peer's end, as long as they are there.</summary>
    Bytes,
}
