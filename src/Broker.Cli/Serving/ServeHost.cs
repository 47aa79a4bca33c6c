using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Broker.AspNetCore;
using Broker.Bridge;
using Broker.Cryptography;
using Broker.Leaf;
using Broker.Server;
using Broker.Transport;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Broker.Cli.Serving;

/// <summary>Runs the server and the bridge in this process, on the same event loops.</summary>
internal sealed class ServeHost : IServeHost
{
    private EventLoopGroup? _loops;
    private BrokerServer? _server;
    private BridgeRun? _bridge;
    private LeafNodes? _leafNodes;
    private ILoggerFactory _loggers = NullLoggerFactory.Instance;
    private MonitoringHost? _monitoring;
    private NatsWebSocketHost? _webSocket;
    private TimeSpan _stopDeadline;
    private ServeSettings _settings = new();
    private Action? _beginLameDuck;

    // The bridge is a client of the server. It needs a user if clients must authenticate, now or after a reload.
    private readonly BridgeUser _bridgeUser = new();

    public async Task<ServeAddresses> StartAsync(ServeSettings settings, ILoggerFactory loggers, CancellationToken cancellationToken)
    {
        RecentLog? log = (settings.Https ?? settings.Http) is null ? null : new RecentLog();
        if (log is not null)
        {
            loggers.AddProvider(log);
        }

        ILogger logger = loggers.CreateLogger("server");
        _loggers = loggers;
        _settings = settings;
        _stopDeadline = settings.StopDeadline;
        _loops = ServeLoops.Start(settings.Loops, logger);
        _server = await StartServerAsync(settings, logger, cancellationToken);
        if (settings.LeafNodes is { } leafNodes)
        {
            _leafNodes = StartLeafNodes(leafNodes, settings.PingInterval);
        }

        if (settings.ZeroMq is { } zeroMq)
        {
            _bridge = await StartBridgeAsync(zeroMq, cancellationToken);
        }

        if (settings.WebSocket is { } webSocket)
        {
            _webSocket = await HttpHosts.StartWebSocketAsync(_server, webSocket, logger, cancellationToken);
        }

        if ((settings.Https ?? settings.Http) is { } pages)
        {
            var options = new MonitoringOptions
            {
                WebSockets = _webSocket,
                Pages = [BridgePage.Of(() => _bridge?.Snapshot())],
                Log = log,
                Administrator = Administrator(settings.HttpAdmin, logger),
            };
            _monitoring = await HttpHosts.StartMonitoringAsync(_server, pages, settings, options, logger, cancellationToken);
        }

        StartWarnings.Log(settings, _bridge, _monitoring, logger);
        var addresses = new ServeAddresses(
            [.. _server.EndPoints.Select(e => (settings.Tls is { AllowNonTls: false } ? "tls://" : "nats://") + Reachable(e))],
            [],
            [],
            _monitoring is null ? [] : [$"{_monitoring.Address.Scheme}://{Reachable(_monitoring.EndPoint)}"],
            _webSocket is null ? [] : [$"{_webSocket.Address.Scheme}://{Reachable(_webSocket.EndPoint)}"]);
        return _bridge?.AddTo(addresses) ?? addresses;
    }

    public ServeCounts ReadCounts()
    {
        ServerSnapshot server = _server?.Snapshot() ?? default;
        IReadOnlyList<RouteSnapshot> routes = _bridge?.Snapshot().Routes ?? [];
        return BridgeRun.Count(routes) with
        {
            Connections = server.Connections,
            Subscriptions = server.Subscriptions,
            MessagesIn = server.MessagesIn,
            MessagesOut = server.MessagesOut,
            BytesIn = server.BytesIn,
            BytesOut = server.BytesOut,
            Dropped = server.Dropped + routes.Sum(route => route.Dropped + route.Refused),
        };
    }

    public Task<bool> AnswerAsync() => ServeLoops.AnswerAsync(_loops);

    public ServeBacklog ReadBacklog()
        => _server is { } server ? new ServeBacklog(server.Snapshot().Connections, server.PendingBytes) : default;

    public async Task ReloadAsync(ServeSettings settings)
    {
        try
        {
            if (settings.LeafNodes is { } leafNodes)
            {
                LeafNodes.Validate(leafNodes, settings.Security?.AccountNames ?? []);
            }

            await _server!.ReloadAsync(options =>
            {
                ServerOptionsSetup.Apply(settings, options);
                ServerOptionsSetup.ApplySecurity(settings, options, _bridgeUser);
            });
            _stopDeadline = settings.StopDeadline;
            _settings = settings;
        }
        catch (ArgumentException e)
        {
            throw new ServeStartException($"a setting is invalid: {e.Message}", e);
        }

        await ReloadLeafNodesAsync(settings);
        await ReloadBridgeAsync(settings.ZeroMq);
    }

    public void ReloadOnRequest(Func<Task> reload) => _server!.RereadConfiguration = reload;

    public void LameDuckOnRequest(Action begin) => _beginLameDuck = begin;

    public Task EnterLameDuckAsync(CancellationToken cancellationToken)
        => _server!.EnterLameDuckAsync(_settings.LameDuckDuration, _settings.LameDuckGracePeriod, cancellationToken);

    public async Task<long> StopAsync(CancellationToken deadline)
    {
        long begin = Environment.TickCount64;
        _server!.StopAccepting();
        if (_bridge is not null)
        {
            // The messages of ZeroMQ publishers must be in the server before its clients are drained. The server's
            // messages for ZeroMQ subscribers must be in the bridge before the bridge is closed.
            try
            {
                await _bridge.StopIngressAsync(deadline);
            }
            catch (OperationCanceledException)
            {
                // Messages that are still in transit are lost. The server counts them.
            }
        }

        if (_leafNodes is not null)
        {
            // The hub must know that this server is gone before its clients are.
            await _leafNodes.DisposeAsync();
        }

        DrainReport report = await _server.DrainAsync(Timeout.InfiniteTimeSpan, deadline);
        long undelivered = report.Messages;
        if (_bridge is not null)
        {
            undelivered += await _bridge.CloseAsync(Left(begin));
        }

        return undelivered;
    }

    public async ValueTask DisposeAsync()
    {
        if (_bridge is not null)
        {
            await _bridge.DisposeAsync();
        }

        if (_leafNodes is not null)
        {
            await _leafNodes.DisposeAsync();
        }

        if (_monitoring is not null)
        {
            await _monitoring.DisposeAsync();
        }

        if (_webSocket is not null)
        {
            await _webSocket.DisposeAsync();
        }

        if (_server is not null)
        {
            await _server.DisposeAsync();
        }

        _loops?.Dispose();
    }

    private AdministratorOptions? Administrator(AdministratorSettings? settings, ILogger logger) => settings is null ? null : new AdministratorOptions
    {
        Name = settings.User,
        PasswordHash = settings.PasswordHash,
        PasswordVerifier = new BcryptVerifier(),
        Token = settings.Token,
        Logger = logger,
        EnterLameDuck = () =>
        {
            Action begin = _beginLameDuck ?? throw new InvalidOperationException("the broker is still starting");
            begin();
            return Task.CompletedTask;
        },
        ChangeRoute = (route, change) => _bridge is { } bridge
            ? bridge.ChangeRouteAsync(route, change)
            : throw new InvalidOperationException("the broker has no ZeroMQ bridge"),
    };

    private async Task<BrokerServer> StartServerAsync(ServeSettings settings, ILogger logger, CancellationToken cancellationToken)
    {
        var options = new BrokerServerOptions
        {
            ServerName = settings.ServerName,
            ServerTags = settings.ServerTags,
            Loops = _loops,
            Logger = logger,
        };
        ServerOptionsSetup.Apply(settings, options);
        ServerOptionsSetup.ApplySecurity(settings, options, _bridgeUser);
        try
        {
            foreach (EndPoint endPoint in await ListenEndPoints.FindAsync(settings, logger, cancellationToken))
            {
                options.Listen(endPoint);
            }

            return await StreamsSetup.StartServerAsync(settings, options, logger, cancellationToken);
        }
        catch (ListenException e) when (e.InnerException is SocketException reason)
        {
            throw ServeStartException.CannotListen(e.Address, reason);
        }
        catch (ArgumentException e)
        {
            throw new ServeStartException($"a setting is invalid: {e.Message}", e);
        }
    }

    // Links of remotes that did not change stay connected.
    private async Task ReloadLeafNodesAsync(ServeSettings settings)
    {
        switch (settings.LeafNodes, _leafNodes)
        {
            case (not null, null):
                _leafNodes = StartLeafNodes(settings.LeafNodes, settings.PingInterval);
                break;
            case (null, not null):
                LeafNodes ended = _leafNodes;
                _leafNodes = null;
                await ended.DisposeAsync();
                break;
            case (not null, not null):
                try
                {
                    await _leafNodes.ChangeAsync(settings.LeafNodes with { Logger = _loggers.CreateLogger("leaf"), PingInterval = settings.PingInterval });
                }
                catch (ArgumentException e)
                {
                    throw new ServeStartException($"a setting is invalid: {e.Message}", e);
                }
                catch (ListenException e) when (e.InnerException is SocketException reason)
                {
                    throw ServeStartException.CannotListen(e.Address, reason);
                }

                break;
        }
    }

    private LeafNodes StartLeafNodes(LeafNodeOptions leafNodes, TimeSpan pingInterval)
    {
        try
        {
            return LeafNodes.Start(_server!, leafNodes with { Logger = _loggers.CreateLogger("leaf"), PingInterval = pingInterval });
        }
        catch (ArgumentException e)
        {
            throw new ServeStartException($"a setting is invalid: {e.Message}", e);
        }
        catch (ListenException e) when (e.InnerException is SocketException reason)
        {
            throw ServeStartException.CannotListen(e.Address, reason);
        }
    }

    private Task<BridgeRun> StartBridgeAsync(ZeroMqSettings zeroMq, CancellationToken cancellationToken)
    {
        BrokerServer server = _server!;
        return BridgeRun.StartAsync(
            zeroMq,
            client => zeroMq.Connection is not null ? client with { Loops = _loops } : client with
            {
                Loops = _loops,
                User = _bridgeUser.Name,
                Password = _bridgeUser.Password,
                Servers = ["nats://127.0.0.1"],
                Dialer = server.CreateDialer(),
            },
            _loggers.CreateLogger("zeromq"),
            cancellationToken);
    }

    private async Task ReloadBridgeAsync(ZeroMqSettings? zeroMq)
    {
        switch (zeroMq, _bridge)
        {
            case (not null, null):
                _bridge = await StartBridgeAsync(zeroMq, CancellationToken.None);
                break;
            case (not null, { } bridge):
                await bridge.ChangeAsync(zeroMq, _stopDeadline);
                break;
            case (null, { } bridge):
                await bridge.StopIngressAsync(CancellationToken.None)
                    .WaitAsync(_stopDeadline)
                    .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                await bridge.CloseAsync(_stopDeadline);
                _bridge = null;
                break;
        }
    }

    // The bridge may use the time that remains after clients were drained.
    private TimeSpan Left(long begin)
    {
        TimeSpan left = _stopDeadline - TimeSpan.FromMilliseconds(Environment.TickCount64 - begin);
        return left > BridgeRun.LeastLinger ? left : BridgeRun.LeastLinger;
    }

    // Returns an address to which a program on this machine can connect, also if the server listens on all addresses.
    private static string Reachable(EndPoint endPoint) => endPoint switch
    {
        IPEndPoint { Address: var address, Port: var port } when address.Equals(IPAddress.Any) || address.Equals(IPAddress.IPv6Any)
            => string.Create(CultureInfo.InvariantCulture, $"127.0.0.1:{port}"),
        IPEndPoint ip => ip.ToString(),
        _ => endPoint.ToString() ?? "",
    };
}
