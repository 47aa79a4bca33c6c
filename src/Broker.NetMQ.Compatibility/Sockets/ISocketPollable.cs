namespace NetMQ;

/// <summary>Something with a socket that a poller can poll.</summary>
public interface ISocketPollable
{
    /// <summary>The socket.</summary>
    NetMQSocket Socket { get; }

    /// <summary>Whether the object is disposed.</summary>
    bool IsDisposed { get; }
}
