using Broker.Client.Errors;
using Broker.Client.Subscriptions;

namespace Broker.Client;

public sealed partial class BrokerConnection
{
    // Beyond what the transport grants itself for an orderly end.
    private static readonly TimeSpan EndGrace = TimeSpan.FromSeconds(5);

    private Task? _end;
    private Task? _drain;

    // Nothing that waits is accepted any more, and all that did has been told.
    private bool _ended;

    /// <summary>
    /// Stops accepting messages, sends what is queued (for at most <see cref="ClientOptions.DrainTimeout"/>) and closes.
    /// What was kept for a server that did not come is counted as dropped. May be called again and from any thread; on a
    /// loop do not wait for it.
    /// </summary>
    public Task CloseAsync() => EndAsync(quietly: false);

    /// <summary>
    /// Closes without loss: ends all subscriptions, lets the messages that are on their way be handled, or read where they are
    /// queued, and what that gives rise to be sent, and then closes. After <see cref="ClientOptions.DrainTimeout"/>, or when
    /// <paramref name="cancellationToken"/> is cancelled, it closes without waiting on.
    /// </summary>
    /// <exception cref="OperationCanceledException">Cancelled. The connection is closed all the same.</exception>
    public async Task DrainAsync(CancellationToken cancellationToken = default)
    {
        Task drain;
        lock (_gate)
        {
            drain = _drain ??= Task.Run(() => DrainThenEndAsync(cancellationToken), CancellationToken.None);
        }

        await drain.ConfigureAwait(false);
        cancellationToken.ThrowIfCancellationRequested();
    }

    /// <summary>As <see cref="CloseAsync"/>.</summary>
    public ValueTask DisposeAsync() => new(CloseAsync());

    private async Task DrainThenEndAsync(CancellationToken cancellationToken)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, _ending.Token);
        limit.CancelAfter(Options.DrainTimeout);
        try
        {
            Subscription[] subscriptions = AnnounceDrain();
            // Behind the PONG nothing more comes for them; what handlers have published by then needs another.
            await FlushAsync(limit.Token).ConfigureAwait(false);
            foreach (Subscription subscription in subscriptions)
            {
                Forget(subscription);
            }

            await WhenReadAsync(subscriptions).WaitAsync(limit.Token).ConfigureAwait(false);
            await FlushAsync(limit.Token).ConfigureAwait(false);
        }
        catch (Exception e) when (e is OperationCanceledException or ConnectionLostException)
        {
            // The time is over or the server lost: nothing more can be waited for.
        }

        await EndAsync(quietly: false).ConfigureAwait(false);
    }

    // What waits in queues is read before the connection closes, so that the readers can still answer.
    private static async Task WhenReadAsync(Subscription[] subscriptions)
    {
        foreach (Subscription subscription in subscriptions)
        {
            if (subscription.Queued is { } queued)
            {
                await queued.WhenRead.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
    }

    // Tells the server to send no more, and keeps taking what is on its way.
    private Subscription[] AnnounceDrain()
    {
        lock (_gate)
        {
            _draining = true;
            Subscription[] subscriptions = Subscriptions.ToArray();
            foreach (Subscription subscription in subscriptions)
            {
                WriteUnsubscribe(subscription, 0);
            }

            return subscriptions;
        }
    }

    /// <param name="quietly">Whether nobody knows of this connection yet, and <see cref="ClientOptions.OnClosed"/> is not due.</param>
    private Task EndAsync(bool quietly)
    {
        lock (_gate)
        {
            // Not on the caller's thread: it may be a loop, which must not be waited for on itself.
            return _end ??= Task.Run(() => EndCoreAsync(quietly));
        }
    }

    private async Task EndCoreAsync(bool quietly)
    {
        Link? link;
        lock (_gate)
        {
            link = _link;
            _link = null;
            _state = ConnectionState.Closed;
            _dropped += _kept.Messages;
            _neverSent += _kept.Messages;
            _kept.Clear();
        }

        await _ending.CancelAsync().ConfigureAwait(false);
        if (link is not null)
        {
            await SendOffAsync(link).ConfigureAwait(false);
        }

        await InTimeAsync(_settling, EndGrace).ConfigureAwait(false);
        foreach (Subscription subscription in EndSubscriptions())
        {
            subscription.Deactivate();
        }

        FailWaiting();
        WakeWriters();
        if (!quietly)
        {
            Tell(Options.OnClosed + Closed);
        }

        _shared?.Dispose();
    }

    private async Task SendOffAsync(Link link)
    {
        // A loop that had the link in hand writes to it until the end of its turn.
        await InTimeAsync(HandOverAllAsync(), EndGrace).ConfigureAwait(false);
        lock (_gate)
        {
            link.Transport.FlushExternal();
        }

        link.Transport.Close(Options.DrainTimeout);
        await InTimeAsync(link.Ended, Options.DrainTimeout + EndGrace).ConfigureAwait(false);
    }

    // The loops of a shared group may have been stopped before their time; nothing may hang for that.
    private static async Task InTimeAsync(Task task, TimeSpan limit)
    {
        try
        {
            await task.WaitAsync(limit).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            // Told by the bytes that are counted as lost.
        }
    }

    private Subscription[] EndSubscriptions()
    {
        lock (_gate)
        {
            Subscription[] all = Subscriptions.ToArray();
            foreach (Subscription subscription in all)
            {
                Subscriptions.Remove(subscription);
            }

            return all;
        }
    }

    private void FailWaiting()
    {
        (BarrierCallback Callback, object? State)[] failed;
        lock (_gate)
        {
            _ended = true;
            failed = [.. _barriers.Select(b => (b.Callback, b.State)), .. _deferred.Select(d => (d.Callback, d.State))];
            _barriers.Clear();
            _deferred.Clear();
        }

        foreach ((BarrierCallback callback, object? state) in failed)
        {
            Answer(callback, state, false);
        }

        _requests.FailAll(new ConnectionLostException("The connection is closed."));
    }
}
