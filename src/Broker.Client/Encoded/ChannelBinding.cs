namespace Broker.Client;

/// <summary>
/// The binding of a subscription to a channel. The values of the subscription are written to the channel until the
/// subscription ends, the channel is completed, or this object is disposed.
/// </summary>
public sealed class ChannelBinding : IAsyncDisposable
{
    private readonly CancellationTokenSource _stop = new();

    private ChannelBinding(QueuedSubscription subscription) => Subscription = subscription;

    /// <summary>
    /// The subscription that receives the values. Its statistics count the values that wait for the channel.
    /// </summary>
    public QueuedSubscription Subscription { get; }

    /// <summary>
    /// Completes when nothing more is written to the channel. It never fails, because an error is passed to the
    /// channel.
    /// </summary>
    public Task Completion { get; private set; } = Task.CompletedTask;

    /// <summary>Ends the subscription, discards its queued messages, and completes the channel.</summary>
    public async ValueTask DisposeAsync()
    {
        Subscription.Dispose();
        if (!Completion.IsCompleted)
        {
            await _stop.CancelAsync().ConfigureAwait(false);
            await Completion.ConfigureAwait(false);
        }

        _stop.Dispose();
    }

    internal static ChannelBinding Start(QueuedSubscription subscription, Func<CancellationToken, Task> write)
    {
        var binding = new ChannelBinding(subscription);
        CancellationToken stop = binding._stop.Token;
        binding.Completion = Task.Run(() => write(stop), CancellationToken.None);
        return binding;
    }
}
