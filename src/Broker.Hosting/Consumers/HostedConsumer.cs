using Broker.Client;
using Broker.Client.Streams;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Broker.Hosting;

/// <summary>Reads a consumer of a stream from the start of the host to its stop, and passes the messages to a handler.</summary>
/// <remarks>
/// It stops before the subscriptions of the clients are drained, because it waits for messages that are on their way.
/// </remarks>
internal sealed class HostedConsumer : IHostedLifecycleService, IDisposable
{
    // The pause before another attempt while no server answers.
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(1);

    private readonly IServiceProvider _services;
    private readonly ConsumerRegistration _registration;
    private readonly HostingLog _log;
    private readonly IHostApplicationLifetime _application;
    private readonly CancellationTokenSource _stop = new();
    private readonly CancellationTokenSource _abort = new();
    private readonly CancellationToken _stopping;
    private readonly CancellationToken _aborting;
    private Task _running = Task.CompletedTask;
    private Exception? _failure;

    internal HostedConsumer(IServiceProvider services, ConsumerRegistration registration)
    {
        _services = services;
        _registration = registration;
        _log = new HostingLog(services.GetRequiredService<ILoggerFactory>());
        _application = services.GetRequiredService<IHostApplicationLifetime>();
        _stopping = _stop.Token;
        _aborting = _abort.Token;
    }

    private string Name => _registration.Name;

    public Task StartingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <exception cref="OptionsValidationException">A setting is wrong.</exception>
    /// <exception cref="InvalidOperationException">
    /// The stream, the consumer or the client is missing, or the server has no streams.
    /// </exception>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        BrokerConsumerSettings settings = _services.GetRequiredService<IOptionsMonitor<BrokerConsumerSettings>>().Get(Name);
        StreamSettingsReader.Validate(settings, Name);
        StreamsClient streams = HostedStreams.Of(_services, settings.Client, Name);
        var delivery = new HostedDelivery(_services, _registration, settings, _log, Fail);
        StreamConsumer? consumer = null;
        if (streams.Connection.State == ConnectionState.Connected)
        {
            try
            {
                consumer = await ConsumerStart.RunAsync(streams, settings, Name, cancellationToken).ConfigureAwait(false);
            }
            catch (Exception e) when (e is StreamsUnavailableException or TimeoutException)
            {
                throw new InvalidOperationException($"The hosted consumer '{Name}' cannot start: {e.Message}", e);
            }
            catch (ArgumentException e)
            {
                throw new OptionsValidationException(Name, typeof(BrokerConsumerSettings), [$"{BrokerConsumerSettings.Section}:{Name}: {e.Message}"]);
            }
        }
        else
        {
            // The client connects in the background, and the start does not wait for its server.
            _log.ConsumerWaits(Name);
        }

        _running = Task.Run(() => RunAsync(streams, consumer, settings, delivery), CancellationToken.None);
    }

    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public async Task StoppingAsync(CancellationToken cancellationToken)
    {
        RequestNoMore();
        try
        {
            await _running.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException e)
        {
            _log.NotDrained(e);
            await _abort.CancelAsync().ConfigureAwait(false);
        }
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <exception cref="InvalidOperationException">
    /// The consumer has failed and has stopped the host. The exit code of the program shows it.
    /// </exception>
    public Task StoppedAsync(CancellationToken cancellationToken)
        => _failure is null
            ? Task.CompletedTask
            : throw new InvalidOperationException($"The hosted consumer '{Name}' has failed and has stopped the host: {_failure.Message}", _failure);

    public void Dispose()
    {
        // The start of the host may have failed, and then nobody has stopped this consumer.
        _stop.Cancel();
        _abort.Cancel();
        _stop.Dispose();
        _abort.Dispose();
    }

    private async Task RunAsync(StreamsClient streams, StreamConsumer? consumer, BrokerConsumerSettings settings, HostedDelivery delivery)
    {
        try
        {
            consumer ??= await WaitForConsumerAsync(streams, settings).ConfigureAwait(false);
            if (settings.Concurrency == 1)
            {
                await foreach (StreamMessage message in consumer.ConsumeAsync(Options(settings), _stopping).ConfigureAwait(false))
                {
                    await delivery.HandleAsync(message, _aborting).ConfigureAwait(false);
                }
            }
            else
            {
                await ReadSeveralAsync(consumer, settings, delivery).ConfigureAwait(false);
            }
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            // While the consumer stops, it is read to the end of its queue, and a lost server is no failure of the host.
            if (!_stopping.IsCancellationRequested)
            {
                Fail(e);
            }
        }
    }

    private async Task ReadSeveralAsync(StreamConsumer consumer, BrokerConsumerSettings settings, HostedDelivery delivery)
    {
        using var free = new SemaphoreSlim(settings.Concurrency);
        try
        {
            await foreach (StreamMessage message in consumer.ConsumeAsync(Options(settings), _stopping).ConfigureAwait(false))
            {
                await free.WaitAsync(CancellationToken.None).ConfigureAwait(false);
                _ = Task.Run(() => HandleOneAsync(message), CancellationToken.None);
            }
        }
        finally
        {
            for (int i = 0; i < settings.Concurrency; i++)
            {
                await free.WaitAsync(CancellationToken.None).ConfigureAwait(false);
            }
        }

        async Task HandleOneAsync(StreamMessage message)
        {
            try
            {
                await delivery.HandleAsync(message, _aborting).ConfigureAwait(false);
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                Fail(e);
            }
            finally
            {
                free.Release();
            }
        }
    }

    private async Task<StreamConsumer> WaitForConsumerAsync(StreamsClient streams, BrokerConsumerSettings settings)
    {
        while (true)
        {
            _stopping.ThrowIfCancellationRequested();
            try
            {
                return await ConsumerStart.RunAsync(streams, settings, Name, _stopping).ConfigureAwait(false);
            }
            catch (Exception e) when (e is TimeoutException or ConnectionLostException or StreamsUnavailableException && streams.Connection.State != ConnectionState.Closed)
            {
                await Task.Delay(Pause, _stopping).ConfigureAwait(false);
            }
        }
    }

    // When it returns, the reader gets no more messages than its settings say. CancelAsync would end it a moment later.
    private void RequestNoMore() => _stop.Cancel();

    private void Fail(Exception e)
    {
        if (Interlocked.CompareExchange(ref _failure, e, null) is not null)
        {
            return;
        }

        _log.ConsumerFailed(Name, e);
        if (!_stopping.IsCancellationRequested)
        {
            RequestNoMore();
        }

        _application.StopApplication();
    }

    private static ConsumeOptions Options(BrokerConsumerSettings settings)
    {
        var options = new ConsumeOptions();
        // Messages that are handled at the same time as others do not count for the reader.
        int handled = settings.Concurrency == 1 ? 0 : settings.Concurrency;
        return options with
        {
            MaxMessages = Math.Max(1, (settings.MaxMessages ?? options.MaxMessages) - handled),
            MaxBytes = settings.MaxBytes ?? options.MaxBytes,
            ReportProgressEvery = settings.ReportProgressEvery,
            DrainOnCancel = !settings.GiveBackOnStop,
            RecreateMissing = settings.CreateConsumer != CreationPolicy.Never,
        };
    }
}
