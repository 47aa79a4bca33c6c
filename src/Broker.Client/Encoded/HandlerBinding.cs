using System.Diagnostics;
using Broker.Client.Subscriptions;
using Broker.Client.Telemetry;

namespace Broker.Client.Encoded;

/// <summary>
/// A subscription whose values are given to a handler, one after the other, from a queue of its own. It ends with its subscription, when
/// all that waited has been handled; a drain of the connection waits for that.
/// </summary>
public sealed class HandlerBinding : IAsyncDisposable, IDisposable
{
    private HandlerBinding(QueuedSubscription subscription) => Subscription = subscription;

    /// <summary>Where the values come from; its statistics say what waits for the handler.</summary>
    public QueuedSubscription Subscription { get; }

    /// <summary>
    /// Completes when the handler is called no more and has returned. Fails with a <see cref="Errors.SlowConsumerException"/> when the
    /// subscription ended by <see cref="FullQueuePolicy.End"/>, and with nothing else.
    /// </summary>
    public Task Completion { get; private set; } = Task.CompletedTask;

    /// <summary>Ends the subscription and throws away what waits. A handler that is running is not waited for, so it may do this too.</summary>
    public void Dispose() => Subscription.Dispose();

    /// <inheritdoc cref="Dispose"/>
    public ValueTask DisposeAsync() => Subscription.DisposeAsync();

    internal static HandlerBinding Start(QueuedSubscription subscription, Func<Message, ValueTask> handle)
    {
        var binding = new HandlerBinding(subscription);
        binding.Completion = Task.Run(() => HandleAllAsync(subscription, handle));
        // Nobody may be waiting for it: then the exception is still seen.
        _ = binding.Completion.ContinueWith(
            static task => _ = task.Exception, CancellationToken.None, TaskContinuationOptions.OnlyOnFaulted, TaskScheduler.Default);
        subscription.Handling = binding.Completion;
        return binding;
    }

    private static async Task HandleAllAsync(QueuedSubscription subscription, Func<Message, ValueTask> handle)
    {
        // What was current where it was subscribed is no parent of what is done with a message.
        Activity.Current = null;
        while (await subscription.Reader.WaitToReadAsync().ConfigureAwait(false))
        {
            while (subscription.Reader.TryRead(out Message message))
            {
                using Activity? activity = message.StartActivity();
                try
                {
                    await handle(message).ConfigureAwait(false);
                }
                catch (Exception e) when (e is not OutOfMemoryException)
                {
                    ClientTracer.Fail(activity, e);
                    message.Subscription.Connection.Core.Events.ReportFault(message.Subscription, e);
                }
            }
        }
    }
}
