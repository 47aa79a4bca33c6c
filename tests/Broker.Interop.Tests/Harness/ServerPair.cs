namespace Broker.Interop.Tests.Harness;

/// <summary>
/// Two servers. The first announces the second to its clients: nats-server because they have a route, the broker
/// because of its configuration.
/// </summary>
internal sealed class ServerPair : IAsyncDisposable
{
    // The minimum duration of nats-server. The only client is closed right after the grace period.
    private const string LameDuck = "lame_duck_duration: \"30s\"\nlame_duck_grace_period: \"200ms\"\n";

    private readonly string _name;
    private readonly int _routePort;
    private ConfiguredServer? _second;

    private ServerPair(string name, int routePort, ConfiguredServer first)
    {
        _name = name;
        _routePort = routePort;
        First = first;
    }

    public ConfiguredServer First { get; }

    public ConfiguredServer Second => _second ?? throw new InvalidOperationException("the second server is not started");

    public static async Task<ServerPair> StartFirstAsync(string name)
    {
        int routePort = FreePort.Next();
        string configuration = LameDuck + (name == "broker" ? "" : $"cluster {{ name: pair, listen: \"127.0.0.1:{routePort}\" }}\n");
        return new ServerPair(name, routePort, await ConfiguredServer.StartAsync(name, configuration));
    }

    public async Task StartSecondAsync() => _second = await ConfiguredServer.StartAsync(
        _name,
        _name == "broker" ? "" : $"cluster {{ name: pair, listen: \"127.0.0.1:-1\", routes: [ \"nats://127.0.0.1:{_routePort}\" ] }}\n");

    /// <summary>Makes the first server announce the second. nats-server does so by itself.</summary>
    public async Task IntroduceAsync()
    {
        if (_name == "broker")
        {
            await First.ReloadAsync($"{LameDuck}connect_urls: [ \"127.0.0.1:{Second.Port}\" ]\n");
            // The reload is complete when a new client receives the second server. A later signal of the test then
            // cannot overlap it.
            await Wait.UntilAsync(IsIntroducedAsync, "the first server to tell of the second");
        }
    }

    private async Task<bool> IsIntroducedAsync()
    {
        using RawConnection newcomer = await RawConnection.OpenAsync(First.Port);
        return (await newcomer.ReadToAsync("\r\n")).Contains($"127.0.0.1:{Second.Port}", StringComparison.Ordinal);
    }

    public async ValueTask DisposeAsync()
    {
        await First.DisposeAsync();
        if (_second is not null)
        {
            await _second.DisposeAsync();
        }
    }
}
