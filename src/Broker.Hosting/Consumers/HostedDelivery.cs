using System.Diagnostics;
using Broker.Client;
using Broker.Client.Streams;

namespace Broker.Hosting;

/// <summary>Passes a message to its handler, and tells the server the outcome.</summary>
internal sealed class HostedDelivery(
    IServiceProvider services, ConsumerRegistration registration, BrokerConsumerSettings settings, HostingLog log, Action<Exception> fail)
{
    private bool _isFailed;

    /// <param name="message">The message.</param>
    /// <param name="cancellationToken">Cancelled when the time for the stop is used up.</param>
    internal async Task HandleAsync(StreamMessage message, CancellationToken cancellationToken)
    {
        if (Volatile.Read(ref _isFailed))
        {
            // The host stops because of an earlier message, so another program handles this one.
            await SettleAsync(message, static m => m.NakAsync().AsTask()).ConfigureAwait(false);
            return;
        }

        using Activity? span = message.StartActivity();
        try
        {
            if (settings is { ReportProgressEvery: { } interval, Concurrency: > 1 })
            {
                await HandleWithReportsAsync(message, interval, cancellationToken).ConfigureAwait(false);
            }
            else
            {
                await registration.HandleAsync(services, message, cancellationToken).ConfigureAwait(false);
            }
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            span?.SetStatus(ActivityStatusCode.Error, "The host stopped.");
            await SettleAsync(message, static m => m.NakAsync().AsTask()).ConfigureAwait(false);
            return;
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            span?.SetStatus(ActivityStatusCode.Error, e.Message).SetTag("error.type", e.GetType().FullName);
            await RefuseAsync(message, e).ConfigureAwait(false);
            return;
        }

        switch (settings.Acknowledge)
        {
            case AcknowledgePolicy.Handled:
                await SettleAsync(message, static m => m.AckAsync().AsTask()).ConfigureAwait(false);
                break;
            case AcknowledgePolicy.Confirmed:
                await SettleAsync(message, static m => m.AckAndConfirmAsync()).ConfigureAwait(false);
                break;
            default:
                break;
        }
    }

    // The reader reports its queue, and the message of a handler that it waits for. It does not wait for several.
    private async Task HandleWithReportsAsync(StreamMessage message, TimeSpan interval, CancellationToken cancellationToken)
    {
        using var timer = new PeriodicTimer(interval);
        Task reports = ReportAsync();
        try
        {
            await registration.HandleAsync(services, message, cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            timer.Dispose();
            await reports.ConfigureAwait(false);
        }

        async Task ReportAsync()
        {
            while (await timer.WaitForNextTickAsync(CancellationToken.None).ConfigureAwait(false))
            {
                await SettleAsync(message, static m => m.InProgressAsync().AsTask()).ConfigureAwait(false);
            }
        }
    }

    private async Task RefuseAsync(StreamMessage message, Exception e)
    {
        switch (e is UnreadableMessageException ? settings.OnUnreadable : settings.OnError)
        {
            case ConsumerErrorPolicy.Terminate:
                log.MessageGivenUp(registration.Name, message.Sequence, message.Stream, e);
                await SettleAsync(message, m => m.TerminateAsync(Reason(e)).AsTask()).ConfigureAwait(false);
                break;
            case ConsumerErrorPolicy.StopHost:
                Volatile.Write(ref _isFailed, true);
                await SettleAsync(message, static m => m.NakAsync().AsTask()).ConfigureAwait(false);
                fail(e);
                break;
            default:
                log.MessageRefused(registration.Name, message.Sequence, message.Stream, message.Delivered, settings.RetryDelay, e);
                await SettleAsync(message, m => m.NakAsync(settings.RetryDelay).AsTask()).ConfigureAwait(false);
                break;
        }
    }

    // The text of an exception may have secrets and line ends, so those who observe the server get its kind alone.
    private static string Reason(Exception e) => (e as UnreadableMessageException)?.InnerException?.GetType().Name ?? e.GetType().Name;

    private async Task SettleAsync(StreamMessage message, Func<StreamMessage, Task> settle)
    {
        try
        {
            await settle(message).ConfigureAwait(false);
        }
        catch (Exception e) when (e is PublishRefusedException or ClientException or TimeoutException or ObjectDisposedException)
        {
            // The server delivers the message again after AckWait.
            log.NotSettled(registration.Name, message.Sequence, message.Stream, e);
        }
    }
}
