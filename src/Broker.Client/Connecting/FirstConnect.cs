namespace Broker.Client;

/// <summary>What the first connect does if it cannot reach any of the servers.</summary>
public enum FirstConnect
{
    /// <summary>The connect fails with the error of the last server.</summary>
    Fail,

    /// <summary>
    /// The connect tries the servers again as after a loss, until a server answers, the attempts are used up, or the
    /// caller cancels the connect.
    /// </summary>
    Retry,

    /// <summary>
    /// The connect returns a connection that is not connected yet. It tries the servers as after a loss and buffers the
    /// messages that are published meanwhile.
    /// </summary>
    Background,
}
