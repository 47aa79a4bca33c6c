using System.Net;

namespace Broker.Server.Tests.Oracle;

/// <summary>The real nats-server beside ours, both for as long as the tests of a class run.</summary>
public class OracleServer : IAsyncLifetime
{
    private NatsServer? _theirs;
    private BrokerServer? _ours;

    /// <summary>The file that nats-server is to read; null for its defaults. <see cref="Configure"/> says the same to ours.</summary>
    private protected virtual string? Config => null;

    internal EndPoint Ours => _ours!.EndPoints[0];

    /// <summary>Null where nats-server is not installed.</summary>
    internal EndPoint? Theirs => _theirs?.EndPoint;

    public async ValueTask InitializeAsync()
    {
        _ours = await BrokerServer.StartAsync(o => Configure(o.Listen(0)), TestContext.Current.CancellationToken);
        if (NatsServer.IsInstalled)
        {
            _theirs = Config is { } text ? NatsServer.StartWithConfiguration(text) : NatsServer.Start();
        }
    }

    /// <summary>The peer's address; without it the test is skipped by name, and fails in CI.</summary>
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
