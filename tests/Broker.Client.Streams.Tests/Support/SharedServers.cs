namespace Broker.Client.Streams.Tests.Support;

/// <summary>
/// One server of each kind for all tests that leave it running. Each test uses streams with names of its own.
/// </summary>
public sealed class SharedServers : IAsyncDisposable
{
    private readonly Lock _gate = new();
    private readonly Dictionary<string, StreamServer> _running = [];

    /// <summary>Connects to the server of a name.</summary>
    internal async Task<StreamSite> ConnectAsync(string server, StreamsOptions? options = null, Func<ClientOptions, ClientOptions>? configure = null)
    {
        StreamServer? running;
        lock (_gate)
        {
            if (!_running.TryGetValue(server, out running))
            {
                _running[server] = running = StreamServer.Start(server);
            }
        }

        BrokerConnection connection = await running.ConnectAsync(configure);
        return new StreamSite(connection, connection.Streams((options ?? new StreamsOptions()) with { RequestTimeout = Wait.Limit }));
    }

    /// <summary>Returns the address of a server that a test has connected to.</summary>
    internal string UrlOf(string server)
    {
        lock (_gate)
        {
            return _running[server].Url;
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (StreamServer server in _running.Values)
        {
            await server.DisposeAsync();
        }
    }
}
