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

    /// <summary>More bytes were waiting for the peer than <see cref="Connection.MaxPendingBytes"/>, or the peer took none for <see cref="Connection.WriteDeadline"/>.</summary>
    SlowConsumer,

    /// <summary>The event loops were stopped.</summary>
    Shutdown,
}
