using System.Collections.Immutable;
using System.Runtime.ExceptionServices;
using Broker.Bridge;
using Broker.Client;
using Broker.Server;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Broker.Hosting;

/// <summary>
/// Starts the parts before any hosted service starts, and stops them when all have stopped: a service may use them all its life.
/// </summary>
/// <remarks>
/// A host may be asked to stop while it starts, by another thread: no further part starts then, and the stop waits for the one that is starting.
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
    // Written by the start, and by the stop that has waited for it.
    private volatile ImmutableList<object> _started = [];
    private volatile TaskCompletionSource? _startEnd;

    private BrokerServer? Server => _started.OfType<BrokerServer>().FirstOrDefault();

    private IEnumerable<ZeroMqBridge> Bridges => _started.OfType<ZeroMqBridge>();

    private bool IsStopping => application.ApplicationStopping.IsCancellationRequested;

    /// <remarks>
    /// Completes when all parts have started, or the host was asked to stop: that is no failure of its start. Otherwise throws what
    /// kept a part from starting, with no part running any more.
    /// </remarks>
    /// <exception cref="OperationCanceledException">The caller has given up the start, or the host was disposed of.</exception>
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
                throw new OperationCanceledException("The host was disposed of while it started.", e);
            }

            // Whoever has asked for the stop wants no part, so that one could not start is for the log alone.
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

    public Task StoppingAsync(CancellationToken cancellationToken)
    {
        _time.Begin();
        state.Drain();
        Server?.StopAccepting();
        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public async Task StoppedAsync(CancellationToken cancellationToken)
    {
        Exception? failure = null;
        if (_startEnd is { } start)
        {
            await TryAsync(() => start.Task.WaitAsync(cancellationToken)).ConfigureAwait(false);
        }

        foreach (ZeroMqBridge bridge in Bridges)
        {
            // What ZeroMQ peers have sent is in the server before its clients are drained.
            await TryAsync(() => bridge.StopIngressAsync(cancellationToken)).ConfigureAwait(false);
        }

        foreach (BrokerConnection client in _started.OfType<BrokerConnection>().Where(c => c.State == ConnectionState.Connected))
        {
            await TryAsync(() => client.DrainAsync(cancellationToken)).ConfigureAwait(false);
        }

        if (Server is { } server)
        {
            // What it has for ZeroMQ peers is in the bridge before that is closed.
            await TryAsync(async () => _log.Drained(await server.DrainAsync(Timeout.InfiniteTimeSpan, cancellationToken).ConfigureAwait(false)))
                .ConfigureAwait(false);
        }

        foreach (ZeroMqBridge bridge in Bridges)
        {
            await TryAsync(async () => _log.BridgeClosed(await CloseAsync(bridge, cancellationToken).ConfigureAwait(false))).ConfigureAwait(false);
        }

        if (failure is not null)
        {
            ExceptionDispatchInfo.Throw(failure);
        }

        // One that fails leaves the others their stop. That the time is over, or a server was lost before, is no failure of the host.
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
                failure ??= e;
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

    // The last one first. The container disposes of them once more, which does nothing.
    private async Task CloseAsync()
    {
        // So that a client's end is not taken for one that nobody wanted.
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
                // What is thrown to the host is why the start failed.
                _log.NotDrained(e);
            }
        }
    }

    // The bridge is told a time: what is left of the host's once clients have been drained. Who has cancelled the stop waits no longer.
    private Task<long> CloseAsync(ZeroMqBridge bridge, CancellationToken cancellationToken)
        => bridge.CloseAsync(cancellationToken.IsCancellationRequested ? ShutdownTime.Least : _time.Left());
}
