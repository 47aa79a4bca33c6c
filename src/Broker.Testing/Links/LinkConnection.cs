using System.Diagnostics.CodeAnalysis;
using System.Net.Sockets;

namespace Broker.Testing;

/// <summary>
/// One connection through a link: two sockets, and a pump for each direction. The connection disposes itself when both
/// directions have ended.
/// </summary>
[SuppressMessage("Design", "CA1001:Types that own disposable fields should be disposable", Justification = "It disposes itself when both directions have ended.")]
internal sealed class LinkConnection
{
    private readonly Socket _client;
    private readonly Socket _server;
    private readonly LinkPump _toServer;
    private readonly LinkPump _toClient;
    private readonly CancellationTokenSource _ending = new();
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

    internal LinkConnection(LinkFaults faults, Socket client, Socket server)
    {
        _client = client;
        _server = server;
        _client.NoDelay = _server.NoDelay = true;
        _toServer = new LinkPump(faults, LinkDirection.ToServer, client, server, this, _ending.Token);
        _toClient = new LinkPump(faults, LinkDirection.ToClient, server, client, this, _ending.Token);
    }

    /// <summary>Completes when both directions have ended and the sockets are closed.</summary>
    internal Task Ended => _ended.Task;

    internal void Start(Action<LinkConnection> ended) => _ = RunAsync(ended);

    /// <summary>Closes both sockets with a reset.</summary>
    internal void Abort()
    {
        _client.Close(0);
        _server.Close(0);
        try
        {
            _ending.Cancel();
        }
        catch (ObjectDisposedException)
        {
            // The connection had already ended.
        }
    }

    internal void HalfClose(LinkDirection direction) => (direction == LinkDirection.ToServer ? _toServer : _toClient).EndOutput();

    /// <summary>
    /// Ends the connection after the bytes that were sent in a direction. The sender's socket is closed at once. The
    /// receiver's socket stays open until the receiver has closed its side: a close with unread data would cause a
    /// reset, and the receiver would lose the bytes in its buffer.
    /// </summary>
    internal void CutBehind(LinkDirection direction)
    {
        (LinkPump pump, LinkPump back, Socket sender) = direction == LinkDirection.ToServer
            ? (_toServer, _toClient, _client)
            : (_toClient, _toServer, _server);
        back.Discard();
        pump.EndOutput();
        sender.Close(0);
    }

    private async Task RunAsync(Action<LinkConnection> ended)
    {
        await Task.WhenAll(_toServer.RunAsync(), _toClient.RunAsync()).ConfigureAwait(false);
        _client.Dispose();
        _server.Dispose();
        _ending.Dispose();
        ended(this);
        _ended.TrySetResult();
    }
}
