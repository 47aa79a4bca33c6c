using System.Globalization;

namespace Broker.Client;

/// <summary>Closes a connection once, with or without a drain before.</summary>
internal sealed class Lifecycle(ConnectionCore core)
{
    // Readers that take no message for this long are not waited for while the connection stays open. They can still
    // read what waits.
    private static readonly TimeSpan ReadersPause = TimeSpan.FromSeconds(1);

    private const string ClosedText = "The connection is closed.";

    private Task? _end;
    private Task<long>? _drain;

    // The subscriptions that were drained while the connection stayed open. Used under the gate.
    private Subscription[] _drainedBefore = [];

    /// <param name="quietly">Whether the application has not received this connection yet, so that
    /// <see cref="ClientOptions.OnClosed"/> must not be called.</param>
    /// <param name="cause">Why the connection has given up. Null if its owner closes it.</param>
    internal Task EndAsync(bool quietly, Exception? cause = null)
    {
        lock (core.Gate)
        {
            // The close runs on the thread pool: the caller may be an event loop, which must not wait for itself.
            return _end ??= Task.Run(() => EndCoreAsync(quietly, cause));
        }
    }

    /// <summary>Closes the current link, if there is one, and waits for the next.</summary>
    internal async Task ReconnectAsync(CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        using var either = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, core.Ending.Token);
        try
        {
            // Messages that were published before are then neither lost nor unconfirmed.
            await core.Barriers.FlushAsync(either.Token).WaitAsync(core.Options.ConnectTimeout, either.Token).ConfigureAwait(false);
        }
        catch (Exception e) when (e is ConnectionLostException or TimeoutException)
        {
            // No server is connected, or it does not answer. The reconnect goes ahead nevertheless.
        }
        catch (OperationCanceledException) when (!core.Ending.IsCancellationRequested)
        {
            // The caller does not wait any longer, but the reconnect that it asked for happens.
        }
        catch (OperationCanceledException)
        {
            throw new ConnectionLostException(ClosedText);
        }

        Task connected;
        lock (core.Gate)
        {
            if (core.State == ConnectionState.Closed)
            {
                throw new ConnectionLostException(ClosedText);
            }

            connected = core.Connector.WhenNextConnectedAsync();
            if (core.Link is Link link)
            {
                core.Loop.Post(() => link.Fail(new ConnectionLostException("The application has asked for a reconnect.")));
            }
        }

        try
        {
            await connected.WaitAsync(either.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw new ConnectionLostException(ClosedText);
        }
        catch (OperationCanceledException)
        {
            throw new OperationCanceledException(cancellationToken);
        }
    }

    internal async Task DrainAsync(CancellationToken cancellationToken)
    {
        // A handler that waits for the drain would wait for itself.
        RunningHandler.Current?.LeaveOutOfDrain(core.Connection);
        Task<long> drain;
        lock (core.Gate)
        {
            drain = _drain ??= Task.Run(() => DrainThenEndAsync(cancellationToken), CancellationToken.None);
        }

        long lost = await drain.ConfigureAwait(false);
        ConnectionLostException? loss = lost == 0 ? null : new ConnectionLostException(
            string.Create(CultureInfo.InvariantCulture, $"The connection has closed, and {lost:N0} accepted messages were not sent, because no server accepted them in time (ClientOptions.DrainTimeout)."))
        {
            LostMessages = lost,
        };
        if (cancellationToken.IsCancellationRequested)
        {
            throw loss is null ? new OperationCanceledException(cancellationToken) : new OperationCanceledException(loss.Message, loss, cancellationToken);
        }

        if (loss is not null)
        {
            throw loss;
        }
    }

    /// <summary>
    /// Ends all subscriptions without loss and waits until their readers have read the queued messages, but leaves the
    /// connection open. It does not wait for readers that pause.
    /// </summary>
    internal async Task DrainSubscriptionsAsync(CancellationToken cancellationToken)
    {
        RunningHandler.Current?.LeaveOutOfDrain(core.Connection);
        Subscription[] subscriptions = core.Subscriber.AnnounceDrain(forClose: false, core.Requester.Inbox);
        try
        {
            await core.Barriers.FlushAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (ConnectionLostException)
        {
            // The server is lost, so no more messages come.
        }
        finally
        {
            foreach (Subscription subscription in subscriptions)
            {
                core.Subscriber.Remove(subscription);
            }

            lock (core.Gate)
            {
                // A later drain of the connection still waits for the readers of these subscriptions.
                _drainedBefore = [.. _drainedBefore, .. subscriptions.Where(static s => s.Queued is not null)];
            }
        }

        await Task.WhenAll(QueuesOf(subscriptions).Select(q => q.WhenHandledOrPausedAsync(ReadersPause, cancellationToken))).ConfigureAwait(false);
    }

    // Returns the number of accepted messages that were not sent.
    private async Task<long> DrainThenEndAsync(CancellationToken cancellationToken)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, core.Ending.Token);
        limit.CancelAfter(core.Options.DrainTimeout);
        long lostBefore = CountLost();
        Subscription[] subscriptions = core.Subscriber.AnnounceDrain(forClose: true);
        try
        {
            await WhenDeliveredAsync(limit.Token).ConfigureAwait(false);
            foreach (Subscription subscription in subscriptions)
            {
                core.Subscriber.Remove(subscription);
            }

            // The queued messages are read before the connection closes, so that the readers can still reply.
            await Task.WhenAll(QueuesOf([.. subscriptions, .. _drainedBefore]).Select(static q => q.WhenHandledAsync()))
                .WaitAsync(limit.Token).ConfigureAwait(false);
            await SendWhatWaitsAsync(limit.Token).ConfigureAwait(false);
        }
        catch (Exception e) when (e is OperationCanceledException or ConnectionLostException)
        {
            // The time limit has passed, or the connection has given up.
        }

        await EndAsync(quietly: false).ConfigureAwait(false);
        return CountLost() - lostBefore;
    }

    // After the PONG no more messages come for subscriptions that have ended. If no server is connected, no messages
    // come either.
    private async Task WhenDeliveredAsync(CancellationToken limit)
    {
        try
        {
            await core.Barriers.FlushAsync(limit).ConfigureAwait(false);
        }
        catch (ConnectionLostException) when (!core.Ending.IsCancellationRequested)
        {
            // The messages that the application has published may still reach another server.
        }
    }

    // Sends what was published before the drain and what handlers and readers have published since. If no server is
    // connected, the method waits for the next server.
    private async Task SendWhatWaitsAsync(CancellationToken limit)
    {
        while (true)
        {
            Task connected;
            lock (core.Gate)
            {
                if (core.Link is null && core.ReconnectBuffer.Messages == 0)
                {
                    return;
                }

                connected = core.Connector.WhenConnectedAsync();
            }

            await connected.WaitAsync(limit).ConfigureAwait(false);
            try
            {
                await core.Barriers.FlushAsync(limit).ConfigureAwait(false);
                return;
            }
            catch (ConnectionLostException) when (!core.Ending.IsCancellationRequested)
            {
                // This server was lost too.
            }
        }
    }

    private static IEnumerable<QueuedSubscription> QueuesOf(IEnumerable<Subscription> subscriptions)
        => subscriptions.Select(static s => s.Queued).OfType<QueuedSubscription>();

    private long CountLost()
    {
        lock (core.Gate)
        {
            return core.Accounting.Lost - core.ReconnectBuffer.Cancelled;
        }
    }

    private async Task EndCoreAsync(bool quietly, Exception? cause)
    {
        ServerLink? link;
        lock (core.Gate)
        {
            link = core.Link;
            core.Link = null;
            core.State = ConnectionState.Closed;
            core.ReconnectBuffer.Drop();
        }

        await core.Ending.CancelAsync().ConfigureAwait(false);
        if (link is not null)
        {
            await SendAndCloseAsync(link).ConfigureAwait(false);
        }

        await BoundedWait.AtMostAsync(core.Accounting.Settling, BoundedWait.CloseGrace).ConfigureAwait(false);
        core.Subscriber.End(cause);
        core.Barriers.End();
        core.Requester.FailAll(cause ?? new ConnectionLostException("The connection is closed."));
        core.Writable.WakeWriters();
        if (!quietly)
        {
            core.Events.RaiseClosed();
        }

        core.Tracer?.Dispose();
        core.ReleaseLoops();
    }

    private async Task SendAndCloseAsync(ServerLink link)
    {
        // A loop that has already read the link writes to it until the end of its iteration.
        await BoundedWait.AtMostAsync(core.Accounting.FlushAllAsync(), BoundedWait.CloseGrace).ConfigureAwait(false);
        lock (core.Gate)
        {
            link.Transport.FlushExternal();
        }

        link.Transport.Close(core.Options.DrainTimeout);
        await BoundedWait.AtMostAsync(link.Ended, core.Options.DrainTimeout + BoundedWait.CloseGrace).ConfigureAwait(false);
    }
}
