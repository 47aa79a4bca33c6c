namespace Broker.Transport;

/// <summary>Why a connection ended.</summary>
public enum CloseReason
{
    /// <summary>This side closed it.</summary>
    Local,

    /// <summary>The peer closed it in good order.</summary>
    Peer,

    /// <summary>The transport failed: a reset, a time-out of the kernel, a broken pipe.</summary>
    Error,

    /// <summary>More waited for the peer than <see cref="Connection.MaxPendingBytes"/>, or than a bound of the user's (<see cref="Connection.CloseForFullQueue"/>).</summary>
    QueueFull,

    /// <summary>Bytes waited for the peer, and it took none for <see cref="Connection.WriteDeadline"/>.</summary>
    WriteTimeout,

    /// <summary>The event loops were stopped.</summary>
    Shutdown,
}
