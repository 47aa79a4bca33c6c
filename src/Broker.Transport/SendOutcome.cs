namespace Broker.Transport;

internal enum SendOutcome
{
    /// <summary>All of it has gone.</summary>
    Sent,

    /// <summary>The peer takes no more at present.</summary>
    Blocked,

    /// <summary>The connection is broken; nothing more will go.</summary>
    Failed,
}
