using Broker.AspNetCore.Tests.Harness;

namespace Broker.AspNetCore.Tests.Oracle;

/// <summary>The real nats-server and ours with WebSockets, without and with users.</summary>
public sealed class WebSocketFuzzServers : IAsyncLifetime
{
    private const string Config = "websocket { listen: \"127.0.0.1:-1\", no_tls: true, compression: true }\n";

    private readonly List<NatsServer> _theirs = [];
    private readonly List<Site> _ours = [];

    internal int Theirs(bool hasUsers) => _theirs[hasUsers ? 1 : 0].WebSocketPort;

    internal int Ours(bool hasUsers) => _ours[hasUsers ? 1 : 0].WebSocketAddress.Port;

    public async ValueTask InitializeAsync()
    {
        if (!NatsServer.IsInstalled)
        {
            return;
        }

        _theirs.Add(NatsServer.StartWithConfiguration(Config));
        _theirs.Add(NatsServer.StartWithConfiguration(Config + DialogueUsers.Config));
        _ours.Add(await Site.StartAsync(sockets: new NatsWebSocketOptions { NoTls = true, Compression = true }));
        _ours.Add(await Site.StartAsync(DialogueUsers.Set, sockets: new NatsWebSocketOptions { NoTls = true, Compression = true }));
    }

    public async ValueTask DisposeAsync()
    {
        foreach (NatsServer server in _theirs)
        {
            server.Dispose();
        }

        foreach (Site site in _ours)
        {
            await site.DisposeAsync();
        }
    }
}
