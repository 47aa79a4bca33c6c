namespace Broker.Server.Tests.Oracle;

/// <summary>Two servers for each kind of random dialogue.</summary>
public sealed class FuzzServers : IAsyncLifetime
{
    private readonly OracleServer[] _pairs =
    [
        new OracleServer(),
        new TlsOracle("tls { FILES }", static o => o.Tls = TlsOracle.Options),
        new SecuredOracle(DialogueUsers.Config, DialogueUsers.Set),
    ];

    internal OracleServer Of(FuzzKind kind) => _pairs[(int)kind];

    public async ValueTask InitializeAsync()
    {
        foreach (OracleServer pair in _pairs)
        {
            await pair.InitializeAsync();
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (OracleServer pair in _pairs)
        {
            await pair.DisposeAsync();
        }
    }
}
