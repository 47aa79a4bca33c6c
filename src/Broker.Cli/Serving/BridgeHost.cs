using Broker.AspNetCore;
using Broker.Client;
using Broker.Transport;
using Microsoft.Extensions.Logging;

namespace Broker.Cli.Serving;

/// <summary>Runs a bridge without a server. The bridge connects to NATS servers of other processes.</summary>
/// <param name="identify">Adds the servers and credentials to the bridge's client options.</param>
internal sealed class BridgeHost(Func<ClientOptions, ClientOptions> identify) : IServeHost
{
    private EventLoopGroup? _loops;
    private BridgeRun? _bridge;
    private MonitoringHost? _pages;
    private TimeSpan _stopDeadline;

    public async Task<ServeAddresses> StartAsync(ServeSettings settings, ILoggerFactory loggers, CancellationToken cancellationToken)
    {
        ILogger logger = loggers.CreateLogger("bridge");
        _stopDeadline = settings.StopDeadline;
        _loops = ServeLoops.Start(settings.Loops, logger);
        _bridge = await BridgeRun.StartAsync(
            settings.ZeroMq!, client => identify(client) with { Loops = _loops }, loggers.CreateLogger("zeromq"), cancellationToken);
        if (settings.Http is { } address)
        {
            _pages = await HttpHosts.StartPagesAsync(
                _loops, address, settings.HttpMaxConnections, [BridgePage.Of(() => _bridge?.Snapshot())], logger, cancellationToken);
        }

        StartWarnings.Log(settings, _bridge, _pages, logger);
        return _bridge.AddTo(ServeAddresses.None with { Monitoring = _pages is null ? [] : [$"http://{_pages.Address.Authority}"] });
    }

    public ServeCounts ReadCounts() => _bridge is { } bridge ? BridgeRun.Count(bridge.Snapshot().Routes) : default;

    public Task<bool> AnswerAsync() => ServeLoops.AnswerAsync(_loops);

    public ServeBacklog ReadBacklog() => default;

    public async Task ReloadAsync(ServeSettings settings)
    {
        _stopDeadline = settings.StopDeadline;
        await _bridge!.ChangeAsync(settings.ZeroMq!, _stopDeadline);
    }

    // Only clients of a server can request a reload.
    public void ReloadOnRequest(Func<Task> reload)
    {
    }

    // ZeroMQ programs cannot be asked to connect to another server.
    public void LameDuckOnRequest(Action begin)
    {
        // A bridge without a server has no administrator.
    }

    public Task EnterLameDuckAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public async Task<long> StopAsync(CancellationToken deadline)
    {
        long begin = Environment.TickCount64;
        try
        {
            await _bridge!.StopIngressAsync(deadline);
        }
        catch (OperationCanceledException)
        {
            // Messages that are still in transit are lost. The routes count them.
        }

        TimeSpan left = _stopDeadline - TimeSpan.FromMilliseconds(Environment.TickCount64 - begin);
        return await _bridge!.CloseAsync(left > BridgeRun.LeastLinger ? left : BridgeRun.LeastLinger);
    }

    public async ValueTask DisposeAsync()
    {
        if (_bridge is not null)
        {
            await _bridge.DisposeAsync();
        }

        if (_pages is not null)
        {
            await _pages.DisposeAsync();
        }

        _loops?.Dispose();
    }
}
