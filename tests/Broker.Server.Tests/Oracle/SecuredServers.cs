namespace Broker.Server.Tests.Oracle;

/// <summary>Two servers for each kind of security, created on first use.</summary>
public sealed class SecuredServers : IAsyncDisposable
{
    private readonly Dictionary<string, SecuredOracle> _running = new(StringComparer.Ordinal);

    internal async Task<OracleServer> OfAsync(string kind)
    {
        if (!_running.TryGetValue(kind, out SecuredOracle? pair))
        {
            (string config, Action<BrokerServerOptions> configure) = SecuredOracle.Kinds[kind];
            pair = new SecuredOracle(config, configure);
            _running.Add(kind, pair);
            await pair.InitializeAsync();
        }

        return pair;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (SecuredOracle pair in _running.Values)
        {
            await pair.DisposeAsync();
        }
    }
}
