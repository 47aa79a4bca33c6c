using Broker.AspNetCore.Tests.Harness;

namespace Broker.AspNetCore.Tests.Oracle;

/// <summary>
/// The real nats-server and ours, shared by the tests of a class: one pair with a list of origins, one with the same
/// origin.
/// </summary>
public sealed class WebSocketServers : IAsyncLifetime
{
    internal const string Allowed = "https://app.example";
    internal const string AlsoAllowed = "http://other.example:8080";

    private readonly List<NatsServer> _theirs = [];
    private readonly List<Site> _ours = [];

    internal int Theirs(bool sameOrigin) => _theirs[sameOrigin ? 1 : 0].WebSocketPort;

    internal int Ours(bool sameOrigin) => _ours[sameOrigin ? 1 : 0].WebSocketAddress.Port;

    public async ValueTask InitializeAsync()
    {
        if (!NatsServer.IsInstalled)
        {
            return;
        }

        _theirs.Add(NatsServer.StartWithConfiguration(
            $"websocket {{ listen: \"127.0.0.1:-1\", no_tls: true, compression: true, allowed_origins: [\"{Allowed}\", \"{AlsoAllowed}\"] }}"));
        _ours.Add(await Site.StartAsync(
            sockets: new NatsWebSocketOptions { NoTls = true, Compression = true, AllowedOrigins = [Allowed, AlsoAllowed] }));
        _theirs.Add(NatsServer.StartWithConfiguration("websocket { listen: \"127.0.0.1:-1\", no_tls: true, same_origin: true }"));
        _ours.Add(await Site.StartAsync(sockets: new NatsWebSocketOptions { NoTls = true, SameOrigin = true }));
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
