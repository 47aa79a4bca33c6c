namespace Broker.Transport;

/// <summary>The reason for which a connection was closed.</summary>
public enum CloseReason
{
    /// <summary>This side closed the connection.</summary>
    Local,

    /// <summary>The peer ended its stream in the regular way.</summary>
    Peer,

    /// <summary>The transport failed: a reset, a time-out of the kernel, or a broken pipe.</summary>
    Error,

    /// <summary>
    /// More bytes waited for the peer than <see cref="Connection.MaxPendingBytes"/> allows, or the owner of the
    /// connection applied a limit of its own (<see cref="Connection.CloseForFullQueue"/>).
    /// </summary>
    QueueFull,

    /// <summary>
    /// Bytes waited for the peer, and the peer accepted no bytes for <see cref="Connection.WriteDeadline"/>.
    /// </summary>
    WriteTimeout,

    /// <summary>The event loops were stopped.</summary>
    Shutdown,

    /// <summary>
    /// A message of the peer was incomplete while the memory for received messages
    /// (<see cref="EventLoopGroup.ReceiveBudget"/>) was used up. The connection either waited for memory for too long,
    /// or had memory but received too few bytes.
    /// </summary>
    ReceiveMemory,
}
