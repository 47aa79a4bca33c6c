using System.Globalization;
using System.Net;
using Broker.Server;
using Broker.Testing;
using Broker.Transport;

namespace Broker.Client.Tests.Support;

/// <summary>The server that a test uses. Each feature of the client is tested with both.</summary>
public enum ServerKind
{
    /// <summary>This project's server, in this process, over TCP.</summary>
    Broker,

    /// <summary>nats-server.</summary>
    Nats,
}

/// <summary>A server of either kind.</summary>
internal sealed class AnyServer : IAsyncDisposable
{
    private readonly Action<BrokerServerOptions>? _configure;
    private readonly NatsServer? _nats;
    private readonly EventLoopGroup? _portable;
    private BrokerServer? _broker;

    private AnyServer(NatsServer? nats, Action<BrokerServerOptions>? configure, bool portable)
    {
        _nats = nats;
        _configure = configure;
        _portable = portable ? new EventLoopGroup(new EventLoopOptions { Loops = 1, ForcePortable = true }) : null;
    }

    public int Port { get; private set; }

    public string Url => string.Create(CultureInfo.InvariantCulture, $"nats://127.0.0.1:{Port}");

    /// <summary>
    /// The options of a client: the address, and event loops with the portable poller if the test uses it.
    /// </summary>
    public ClientOptions Options => new() { Servers = [Url], Loops = _portable };

    /// <param name="kind">The kind of the server.</param>
    /// <param name="configure">Configures this project's server for the test.</param>
    /// <param name="configuration">The configuration text that configures nats-server in the same way.</param>
    /// <param name="portable">Whether <see cref="Options"/> use the portable poller.</param>
    public static async Task<AnyServer> StartAsync(
        ServerKind kind, Action<BrokerServerOptions>? configure = null, string? configuration = null, bool portable = false)
    {
        var server = new AnyServer(kind == ServerKind.Nats ? NatsServer.StartWithConfiguration(configuration ?? "") : null, configure, portable);
        // A port that no other program gets while the server is being restarted.
        server.Port = server._nats?.Port ?? FreePort.Next();
        if (server._nats is null)
        {
            await server.StartBrokerAsync();
        }

        return server;
    }

    /// <summary>
    /// Starts a server. The clients use event loops with the portable poller, or the shared event loops of the process.
    /// </summary>
    public static Task<AnyServer> StartAsync(ServerKind kind, bool portable) => StartAsync(kind, null, null, portable);

    /// <summary>Opens a link between clients and the server that can inject network faults.</summary>
    public FaultLink OpenLink() => FaultLink.Open(new IPEndPoint(IPAddress.Loopback, Port));

    /// <summary>Stops the server and closes all its connections.</summary>
    public async Task KillAsync()
    {
        _nats?.Kill();
        if (_broker is not null)
        {
            await _broker.DisposeAsync();
        }
    }

    /// <summary>Stops the server if it is running, and starts it again on the same port.</summary>
    public async Task RestartAsync()
    {
        await KillAsync();
        if (_nats is not null)
        {
            _nats.Restart();
        }
        else
        {
            await StartBrokerAsync();
        }
    }

    /// <summary>The server tells its clients that it will shut down, but keeps running for a long time.</summary>
    public void EnterLameDuck(CancellationToken ended)
    {
        _nats?.Signal("USR2");
        _ = _broker?.EnterLameDuckAsync(TimeSpan.FromMinutes(10), TimeSpan.FromMinutes(5), ended);
    }

    public async ValueTask DisposeAsync()
    {
        _nats?.Dispose();
        if (_broker is not null)
        {
            await _broker.DisposeAsync();
        }

        _portable?.Dispose();
    }

    private async Task StartBrokerAsync() => _broker = await BrokerServer.StartAsync(
        options =>
        {
            options.Listen(Port);
            _configure?.Invoke(options);
        },
        TestContext.Current.CancellationToken);
}
