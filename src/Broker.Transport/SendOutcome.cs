namespace Broker.Transport;

internal enum SendOutcome
{
    /// <summary>All of it has gone.</summary>
    Sent,

    /// <summary>The peer takes no more at present.</summary>
    Blocked,

    /// <summary>As much as one send may has gone, and the peer takes more: others have their turn first.</summary>
    Yielded,

    /// <summary>The connection is broken; nothing more will go.</summary>
    Failed,
}
