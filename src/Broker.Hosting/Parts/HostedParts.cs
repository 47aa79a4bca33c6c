using System.Collections.Immutable;
using System.Runtime.ExceptionServices;
using Broker.Bridge;
using Broker.Client;
using Broker.Leaf;
using Broker.Server;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Broker.Hosting;

/// <summary>
/// Starts the parts before any hosted service starts, and stops them after all hosted services have stopped. So a
/// hosted service can always use the parts. Only the clients' subscriptions end before the hosted services stop.
/// </summary>
/// <remarks>
/// Another thread may stop the host while the host starts. In this case no further part starts, and the stop waits for
/// the part that is starting.
/// </remarks>
internal sealed class HostedParts(
    IServiceProvider services,
    IEnumerable<HostedPart> parts,
    IHostApplicationLifetime application,
    HostedState state,
    HostedMetrics metrics,
    IOptions<HostOptions> options,
    ILoggerFactory loggers)
    : IHostedLifecycleService
{
    private readonly HostingLog _log = new(loggers);
    private readonly ShutdownTime _time = new(options.Value.ShutdownTimeout, TimeProvider.System);
    // Only the start writes this field. The stop may read it on another thread while the start still runs.
    private volatile ImmutableList<object> _started = [];
    private volatile TaskCompletionSource? _startEnd;

    private BrokerServer? Server => _started.OfType<BrokerServer>().FirstOrDefault();

    private IEnumerable<ZeroMqBridge> Bridges => _started.OfType<ZeroMqBridge>();

    private bool IsStopping => application.ApplicationStopping.IsCancellationRequested;

    /// <remarks>
    /// Completes when all parts have started, or when the host was asked to stop. If a part cannot start, this method
    /// stops all started parts and throws the part's exception.
    /// </remarks>
    /// <exception cref="OperationCanceledException">
    /// The caller has canceled the start, or the host was disposed.
    /// </exception>
    public async Task StartingAsync(CancellationToken cancellationToken)
    {
        var end = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _startEnd = end;
        try
        {
            foreach (HostedPart part in parts.OrderBy(p => p.Kind))
            {
                if (IsStopping)
                {
                    return;
                }

                cancellationToken.ThrowIfCancellationRequested();
                Start(part);
            }

            state.Start();
        }
        catch (Exception e)
        {
            await CloseAsync().ConfigureAwait(false);
            if (e is ObjectDisposedException { ObjectName: nameof(IServiceProvider) })
            {
                throw new OperationCanceledException("The host was disposed while it started.", e);
            }

            // If the host is stopping, the exception of a failed start was logged and is not thrown.
            if (!IsStopping)
            {
                throw;
            }
        }
        finally
        {
            end.SetResult();
        }
    }

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public async Task StoppingAsync(CancellationToken cancellationToken)
    {
        _time.Begin();
        state.Drain();
        Server?.StopAccepting();
        // The hosted services process messages that have already arrived for them before they are asked to stop.
        await Task.WhenAll(_started.OfType<BrokerConnection>().Where(c => c.State == ConnectionState.Connected).Select(DrainAsync)).ConfigureAwait(false);

        async Task DrainAsync(BrokerConnection client)
        {
            try
            {
                await client.DrainSubscriptionsAsync(cancellationToken).ConfigureAwait(false);
            }
            catch (Exception e) when (e is OperationCanceledException or ClientException or ObjectDisposedException)
            {
                _log.NotDrained(e);
            }
        }
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public async Task StoppedAsync(CancellationToken cancellationToken)
    {
        Exception? failure = null;
        if (_startEnd is { } start)
        {
            await TryAsync(() => start.Task.WaitAsync(cancellationToken)).ConfigureAwait(false);
        }

        // Parts of one kind stop together, so that one that hangs does not use up the time of the others. Messages from
        // ZeroMQ peers must reach the server before its clients are drained.
        await Task.WhenAll(Bridges.Select(bridge => TryAsync(() => bridge.StopIngressAsync(cancellationToken)))).ConfigureAwait(false);
        await Task.WhenAll(_started.OfType<BrokerConnection>().Where(c => c.State != ConnectionState.Closed)
            .Select(client => TryAsync(() => client.DrainAsync(cancellationToken)))).ConfigureAwait(false);

        if (Server is { } server)
        {
            // Messages for ZeroMQ peers must reach the bridge before the bridge is closed.
            await TryAsync(async () => _log.Drained(await server.DrainAsync(Timeout.InfiniteTimeSpan, cancellationToken).ConfigureAwait(false)))
                .ConfigureAwait(false);
        }

        await Task.WhenAll(Bridges.Select(bridge => TryAsync(
            async () => _log.BridgeClosed(await CloseAsync(bridge, cancellationToken).ConfigureAwait(false))))).ConfigureAwait(false);

        // The last messages for remote servers have been written now, and are sent before the links end.
        await Task.WhenAll(_started.OfType<LeafNodes>().Select(links => TryAsync(() => links.DisposeAsync().AsTask()))).ConfigureAwait(false);

        if (failure is not null)
        {
            ExceptionDispatchInfo.Throw(failure);
        }

        // If one part fails to stop, the other parts still stop. An expired time limit or a lost server does not make
        // the stop of the host fail.
        async Task TryAsync(Func<Task> stop)
        {
            try
            {
                await stop().ConfigureAwait(false);
            }
            catch (Exception e) when (e is OperationCanceledException or ClientException or ObjectDisposedException)
            {
                _log.NotDrained(e);
            }
            catch (Exception e)
            {
                Interlocked.CompareExchange(ref failure, e, null);
            }
        }
    }

    private void Start(HostedPart part)
    {
        object started;
        try
        {
            started = part.Resolve(services);
        }
        catch (Exception e) when (e is not ObjectDisposedException)
        {
            _log.NotStarted(part.Kind, part.Name, e.Message);
            throw;
        }

        if (!_started.Contains(started))
        {
            _started = _started.Add(started);
            metrics.Add(started, part.Name);
        }
    }

    // The parts are disposed in reverse order. The container disposes the parts again later, which has no effect.
    private async Task CloseAsync()
    {
        // Marks the close as intended, so that it is not logged as an unexpected close.
        state.Drain();
        ImmutableList<object> started = _started;
        _started = [];
        foreach (IAsyncDisposable part in started.Reverse().Cast<IAsyncDisposable>())
        {
            try
            {
                await part.DisposeAsync().ConfigureAwait(false);
            }
            catch (Exception e)
            {
                // The host receives the exception of the failed start, and not an exception of the clean-up.
                _log.NotDrained(e);
            }
        }
    }

    // The bridge gets the time that is left after the clients were drained, and the minimum if the stop was canceled.
    private Task<long> CloseAsync(ZeroMqBridge bridge, CancellationToken cancellationToken)
        => bridge.CloseAsync(cancellationToken.IsCancellationRequested ? ShutdownTime.Least : _time.Left());
}
