using System.Globalization;
using System.Net;
using Broker.Server;
using Broker.Testing.Links;
using Broker.Transport;

namespace Broker.Client.Tests.Support;

/// <summary>Which server a test talks to: each item of the client is held against both.</summary>
public enum ServerKind
{
    /// <summary>The project's own, in this process, over TCP.</summary>
    Broker,

    /// <summary>nats-server.</summary>
    Nats,
}

/// <summary>One of the two.</summary>
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

    /// <summary>What a client connects with: the address, and loops with the portable poller where the test is about that.</summary>
    public ClientOptions Options => new() { Servers = [Url], Loops = _portable };

    /// <param name="kind">Which.</param>
    /// <param name="configure">What makes ours what the test needs.</param>
    /// <param name="configuration">The text that makes nats-server the same.</param>
    /// <param name="portable">Whether <see cref="Options"/> are for the portable poller.</param>
    public static async Task<AnyServer> StartAsync(
        ServerKind kind, Action<BrokerServerOptions>? configure = null, string? configuration = null, bool portable = false)
    {
        var server = new AnyServer(kind == ServerKind.Nats ? NatsServer.StartWithConfiguration(configuration ?? "") : null, configure, portable);
        // One that nobody is given while it is being restarted.
        server.Port = server._nats?.Port ?? FreePort.Next();
        if (server._nats is null)
        {
            await server.StartBrokerAsync();
        }

        return server;
    }

    /// <summary>The same on loops with the portable poller, or on those of the process.</summary>
    public static Task<AnyServer> StartAsync(ServerKind kind, bool portable) => StartAsync(kind, null, null, portable);

    /// <summary>Puts a link between clients and the server, which does what networks do.</summary>
    public FaultLink OpenLink() => FaultLink.Open(new IPEndPoint(IPAddress.Loopback, Port));

    /// <summary>Ends it, and with it all connections.</summary>
    public async Task KillAsync()
    {
        _nats?.Kill();
        if (_broker is not null)
        {
            await _broker.DisposeAsync();
        }
    }

    /// <summary>Ends it, if that was not done, and starts it again at the same port.</summary>
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

    /// <summary>It tells its clients that it will end, and does not for a long time.</summary>
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
