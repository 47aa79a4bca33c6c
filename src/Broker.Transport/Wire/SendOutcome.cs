namespace Broker.Transport;

internal enum SendOutcome
{
    /// <summary>All bytes were sent.</summary>
    Sent,

    /// <summary>The peer accepts no more bytes at present.</summary>
    Blocked,

    /// <summary>One send's maximum was sent and the peer accepts more: other connections come first.</summary>
    Yielded,

    /// <summary>The connection is broken; nothing more can be sent.</summary>
    Failed,
}
