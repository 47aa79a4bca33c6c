using System.Diagnostics;

namespace Broker.Client;

/// <summary>
/// The binding of a subscription to a handler. The values wait in a queue of their own, and the handler is called for
/// one value at a time. The binding ends after its subscription, when all queued messages have been handled. A drain of
/// the connection waits for the end of the binding, unless the handler itself, or a task that the handler has started,
/// drains the connection.
/// </summary>
public sealed class HandlerBinding : IAsyncDisposable, IDisposable
{
    private HandlerBinding(QueuedSubscription subscription) => Subscription = subscription;

    /// <summary>
    /// The subscription that receives the values. Its statistics count the values that wait for the handler.
    /// </summary>
    public QueuedSubscription Subscription { get; }

    /// <summary>
    /// Completes when the last call of the handler has returned. It fails if the subscription ended with an error: a
    /// <see cref="SlowConsumerException"/> because of <see cref="FullQueuePolicy.End"/>, a
    /// <see cref="ServerErrorException"/> if the server refused the subscription, and a
    /// <see cref="ConnectionLostException"/> if the connection has given up reconnecting.
    /// </summary>
    public Task Completion { get; private set; } = Task.CompletedTask;

    /// <summary>
    /// Ends the subscription and discards its queued messages. The method does not wait for a running handler, so a
    /// handler may call it.
    /// </summary>
    public void Dispose() => Subscription.Dispose();

    /// <inheritdoc cref="Dispose"/>
    public ValueTask DisposeAsync() => Subscription.DisposeAsync();

    internal static HandlerBinding Start(QueuedSubscription subscription, Func<Message, ValueTask> handle)
    {
        var binding = new HandlerBinding(subscription);
        var running = new RunningHandler(subscription);
        binding.Completion = Task.Run(() =>
        {
            running.Enter();
            return HandleAllAsync(subscription, handle);
        });
        // This marks the exception as observed if nobody awaits the task.
        _ = binding.Completion.ContinueWith(
            static task => _ = task.Exception, CancellationToken.None, TaskContinuationOptions.OnlyOnFaulted, TaskScheduler.Default);
        subscription.Handling = Task.WhenAny(binding.Completion, running.LeftOut);
        return binding;
    }

    private static async Task HandleAllAsync(QueuedSubscription subscription, Func<Message, ValueTask> handle)
    {
        // The activity that was current at the subscribe call is not the parent of the processing of a message.
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
