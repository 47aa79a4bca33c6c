using System.Net;

namespace Broker.Server.Tests.Oracle;

/// <summary>A real nats-server and this server, both of them for all tests of a class.</summary>
public class OracleServer : IAsyncLifetime
{
    private NatsServer? _theirs;
    private BrokerServer? _ours;

    /// <summary>
    /// The configuration file of nats-server; null for its defaults. <see cref="Configure"/> configures this server in
    /// the same way.
    /// </summary>
    private protected virtual string? Config => null;

    internal EndPoint Ours => _ours!.EndPoints[0];

    /// <summary>The real nats-server; null if it is not installed.</summary>
    internal EndPoint? Theirs => _theirs?.EndPoint;

    public async ValueTask InitializeAsync()
    {
        _ours = await BrokerServer.StartAsync(o => Configure(o.Listen(0)), TestContext.Current.CancellationToken);
        if (NatsServer.IsInstalled)
        {
            _theirs = Config is { } text ? NatsServer.StartWithConfiguration(text) : NatsServer.Start();
        }
    }

    /// <summary>The address of nats-server. If it is not installed, the test is skipped, and fails in CI.</summary>
    internal EndPoint RequireTheirs()
    {
        NatsServer.Require();
        return _theirs!.EndPoint;
    }

    private protected virtual void Configure(BrokerServerOptions options)
    {
    }

    public async ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        _theirs?.Dispose();
        if (_ours is not null)
        {
            await _ours.DisposeAsync();
        }
    }
}
