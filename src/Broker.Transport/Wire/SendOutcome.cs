namespace Broker.Transport;

internal enum SendOutcome
{
    /// <summary>All bytes were sent.</summary>
    Sent,

    /// <summary>The peer accepts no more bytes now.</summary>
    Blocked,

    /// <summary>
    /// The largest number of bytes of one send was sent, and the peer accepts more. Other connections come first.
    /// </summary>
    Yielded,

    /// <summary>The connection is broken, so nothing more can be sent.</summary>
    Failed,
}
