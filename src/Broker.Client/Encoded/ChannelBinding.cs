using Broker.Client.Subscriptions;

namespace Broker.Client.Encoded;

/// <summary>A channel that receives what a subscription does, until one of them ends or this is disposed.</summary>
public sealed class ChannelBinding : IAsyncDisposable
{
    private readonly CancellationTokenSource _stop = new();

    private ChannelBinding(QueuedSubscription subscription) => Subscription = subscription;

    /// <summary>Where the values come from; its statistics say what waits for the channel.</summary>
    public QueuedSubscription Subscription { get; }

    /// <summary>Completes when nothing more is written into the channel. Never fails: an error is the channel's.</summary>
    public Task Completion { get; private set; } = Task.CompletedTask;

    /// <summary>Ends the subscription, throws away what waits, and completes the channel.</summary>
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
