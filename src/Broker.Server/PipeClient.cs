namespace Broker.Server;

/// <summary>A client that is connected through a pipe. Its transport uses this object.</summary>
public sealed class PipeClient
{
    private readonly ClientSession _session;

    internal PipeClient(ClientSession session) => _session = session;

    /// <summary>
    /// The reason why the server closed the connection, in the words of nats-server, such as <c>Authentication
    /// Failure</c> or <c>Server Shutdown</c>; null if the client closed the connection. The value is final when the
    /// server has completed the pipe's output. Thread-safe.
    /// </summary>
    public string? Reason => _session.Channel.Reason;

    /// <summary>
    /// Closes the connection as a drain does: the server reads nothing more from the client, delivers the queued
    /// messages, and completes the pipe. Thread-safe. The call has no effect if the connection is already closed.
    /// </summary>
    /// <param name="timeout">
    /// The time that the client has to receive the queued messages; <see cref="Timeout.InfiniteTimeSpan"/> for no
    /// limit.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">The time is negative.</exception>
    public void Close(TimeSpan timeout)
    {
        if (timeout == Timeout.InfiniteTimeSpan)
        {
            timeout = TimeSpan.MaxValue;
        }

        ArgumentOutOfRangeException.ThrowIfLessThan(timeout, TimeSpan.Zero);
        _session.Channel.Close(timeout);
    }
}
