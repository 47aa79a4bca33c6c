using Broker.Server.Sessions;

namespace Broker.Server;

/// <summary>A client that was connected by a pipe, as its transport sees it.</summary>
public sealed class PipeClient
{
    private readonly ClientSession _session;

    internal PipeClient(ClientSession session) => _session = session;

    /// <summary>
    /// Why the server has ended the client, in nats-server's words, such as <c>Authentication Failure</c> or <c>Server Shutdown</c>;
    /// null when the client went by itself. Good once the server has completed the pipe's output. Any thread.
    /// </summary>
    public string? EndedFor => _session.Channel.EndedFor;

    /// <summary>
    /// Sends it away, as a drain does: nothing more is read of it, what is queued for it is delivered, and the pipe is completed. Any thread; harmless when
    /// it has gone.
    /// </summary>
    /// <param name="patience">How long it may take for that; <see cref="Timeout.InfiniteTimeSpan"/> for as long as it likes.</param>
    /// <exception cref="ArgumentOutOfRangeException">The time is negative.</exception>
    public void Leave(TimeSpan patience)
    {
        if (patience == Timeout.InfiniteTimeSpan)
        {
            patience = TimeSpan.MaxValue;
        }

        ArgumentOutOfRangeException.ThrowIfLessThan(patience, TimeSpan.Zero);
        _session.Channel.Leave(patience);
    }
}
