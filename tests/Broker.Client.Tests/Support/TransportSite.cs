using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Broker.AspNetCore;
using Broker.Server;
using Broker.Testing;
using Broker.Transport;

namespace Broker.Client.Tests.Support;

/// <summary>A server with one transport, and the options to reach it.</summary>
internal sealed class TransportSite : IAsyncDisposable
{
    private readonly List<IAsyncDisposable> _owned = [];
    private bool _losable;
    private FaultLink? _link;
    private Func<Task>? _restart;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public ClientOptions Options { get; private set; } = new();

    public static async Task<TransportSite> StartAsync(Way way, ServerKind kind, bool losable = false)
    {
        var site = new TransportSite { _losable = losable };
        ClientOptions options = kind == ServerKind.Broker ? await site.StartOursAsync(way) : site.StartTheirs(way);
        TestCertificates certificates = TestCertificates.Common;
        site.Options = way is Way.Tls or Way.SecureWebSocket
            ? options with { Tls = new ClientTlsOptions { AuthorityFile = certificates.AuthorityFile } }
            : options;
        return site;
    }

    /// <summary>Ends every connection: cuts the link if there is one, and otherwise restarts the server.</summary>
    public async Task LoseAsync()
    {
        _link?.Cut();
        if (_restart is not null)
        {
            await _restart();
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (_link is not null)
        {
            await _link.DisposeAsync();
        }

        foreach (IAsyncDisposable owned in Enumerable.Reverse(_owned))
        {
            await owned.DisposeAsync();
        }
    }

    private async Task<ClientOptions> StartOursAsync(Way way)
    {
        string path = Path.Combine(Directory.CreateTempSubdirectory("client-way").FullName, "s");
        var server = new Restartable(Start);
        await server.RestartAsync();
        _owned.Add(server);
        switch (way)
        {
            case Way.Unix:
                _restart = server.RestartAsync;
                return new() { Servers = [$"unix://{path}"] };
            case Way.InProcess:
                _restart = server.RestartAsync;
                return new() { Dialer = new Dial((loop, handler, cancel) => server.Now.CreateDialer().DialAsync(loop, handler, cancel)) };
            case Way.WebSocket or Way.SecureWebSocket:
                NatsWebSocketHost host = await NatsWebSocketHost.StartAsync(
                    server.Now,
                    new IPEndPoint(IPAddress.Loopback, 0),
                    way == Way.WebSocket ? new() { NoTls = true } : new() { Certificate = TestCertificates.Common.Server },
                    Token);
                _owned.Add(host);
                return new() { Servers = [$"{host.Address.Scheme}://127.0.0.1:{Front(host.Address.Port).ToString(CultureInfo.InvariantCulture)}"] };
            default:
                return Reach(way, Front(((IPEndPoint)server.Now.EndPoints[0]).Port));
        }

        Task<BrokerServer> Start() => BrokerServer.StartAsync(
            o =>
            {
                if (way == Way.Unix)
                {
                    o.Listen(new UnixDomainSocketEndPoint(path));
                }
                else
                {
                    o.Listen(0);
                }

                if (way == Way.Tls)
                {
                    o.Tls = new Server.ServerTlsOptions { Certificate = TestCertificates.Common.Server };
                }
            },
            Token);
    }

    private ClientOptions StartTheirs(Way way)
    {
        NatsServer server = way switch
        {
            Way.WebSocket => NatsServer.StartWithConfiguration("websocket { listen: \"127.0.0.1:-1\", no_tls: true }"),
            Way.SecureWebSocket => NatsServer.StartWithConfiguration(
                $"websocket {{ listen: \"127.0.0.1:-1\"\n tls {{ {TestCertificates.Common.PatientServerKeys} }} }}"),
            Way.Tls => NatsServer.StartWithConfiguration($"tls {{ {TestCertificates.Common.PatientServerKeys} }}"),
            _ => NatsServer.Start(),
        };
        _owned.Add(server);
        return way is Way.WebSocket or Way.SecureWebSocket
            ? new()
            {
                Servers = [string.Create(CultureInfo.InvariantCulture, $"{(way == Way.WebSocket ? "ws" : "wss")}://127.0.0.1:{Front(server.WebSocketPort)}")],
            }
            : Reach(way, Front(server.Port));
    }

    private int Front(int port)
    {
        if (!_losable)
        {
            return port;
        }

        _link = FaultLink.Open(new IPEndPoint(IPAddress.Loopback, port));
        return _link.EndPoint.Port;
    }

    private static ClientOptions Reach(Way way, int port)
    {
        var at = new IPEndPoint(IPAddress.Loopback, port);
        async ValueTask<Stream> OpenAsync(CancellationToken cancellationToken)
        {
            var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
            await socket.ConnectAsync(at, cancellationToken);
            return new NetworkStream(socket, ownsSocket: true);
        }

        return way switch
        {
            Way.Stream => new() { Dialer = Dialers.FromStream(OpenAsync) },
            Way.Pipe => new() { Dialer = Dialers.FromPipe(async c => new StreamPipe(await OpenAsync(c))) },
            _ => new() { Servers = [string.Create(CultureInfo.InvariantCulture, $"{(way == Way.Tls ? "tls" : "nats")}://127.0.0.1:{port}")] },
        };
    }

    /// <summary>A server that can be started again at the same address.</summary>
    private sealed class Restartable(Func<Task<BrokerServer>> start) : IAsyncDisposable
    {
        private volatile BrokerServer? _now;

        internal BrokerServer Now => _now!;

        public ValueTask DisposeAsync() => Now.DisposeAsync();

        internal async Task RestartAsync()
        {
            if (_now is { } before)
            {
                await before.DisposeAsync();
            }

            _now = await start();
        }
    }
}
