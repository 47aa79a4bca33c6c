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
}
