using Broker.Server.Tests.Harness;
using Broker.Transport;

namespace Broker.Server.Tests.Allocation;

/// <summary>A server with as many connections as the largest row needs. One row after the other uses them.</summary>
internal sealed class LoadedServer : IAsyncDisposable
{
    private readonly BrokerServer _server;
    private readonly LoadPeer[] _peers;

    private LoadedServer(BrokerServer server, LoadPeer[] peers)
    {
        _server = server;
        _peers = peers;
    }

    internal static async Task<LoadedServer> StartAsync(
        IEnumerable<LoadRow> rows, Action<BrokerServerOptions>? configure = null, string connect = RawClient.Quiet)
    {
        bool tls = false;
        BrokerServer server = await Servers.StartAsync(o =>
        {
            o.LoopOptions = new EventLoopOptions { Loops = 1 };
            o.PingInterval = TimeSpan.FromHours(1);
            configure?.Invoke(o);
            tls = o.Tls is not null;
        });
        LoadPeer[] peers = [.. Enumerable.Range(0, rows.Max(row => row.Publishers + row.Readers)).Select(_ => LoadPeer.Open(server, tls, connect))];
        Array.ForEach(peers, peer => peer.AnswerFirstPing());
        return new LoadedServer(server, peers);
    }

    internal LoadPeer Publisher => _peers[0];

    internal LoadRun Prepare(LoadRow row) => new(row, _peers);

    public ValueTask DisposeAsync()
    {
        Array.ForEach(_peers, peer => peer.Dispose());
        return _server.DisposeAsync();
    }
}
