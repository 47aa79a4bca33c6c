namespace Broker.Client;

/// <summary>Closes a connection once, with or without a drain before.</summary>
internal sealed class Lifecycle(ConnectionCore core)
{
    /// <summary>The time that is added to the transport's own limit for an orderly close.</summary>
    internal static readonly TimeSpan CloseGrace = TimeSpan.FromSeconds(5);

    private Task? _end;
    private Task? _drain;

    /// <param name="quietly">Whether the application has not received this connection yet, so that
    /// <see cref="ClientOptions.OnClosed"/> must not be called.</param>
    internal Task EndAsync(bool quietly)
    {
        lock (core.Gate)
        {
            // This does not run on the caller's thread: it may be an event loop, which must not wait for itself.
            return _end ??= Task.Run(() => EndCoreAsync(quietly));
        }
    }

    internal async Task DrainAsync(CancellationToken cancellationToken)
    {
        Task drain;
        lock (core.Gate)
        {
            drain = _drain ??= Task.Run(() => DrainThenEndAsync(cancellationToken), CancellationToken.None);
        }

        await drain.ConfigureAwait(false);
        cancellationToken.ThrowIfCancellationRequested();
    }

    /// <summary>
    /// Waits for a task, but no longer than the limit. The owner of shared event loops may have stopped them too early,
    /// and then the task would never complete.
    /// </summary>
    internal static async Task WaitAtMostAsync(Task task, TimeSpan limit)
    {
        try
        {
            await task.WaitAsync(limit).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            // Messages that were not sent are counted as lost.
        }
    }

    private async Task DrainThenEndAsync(CancellationToken cancellationToken)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, core.Ending.Token);
        limit.CancelAfter(core.Options.DrainTimeout);
        try
        {
            Subscription[] subscriptions = core.Subscriber.AnnounceDrain();
            // After the PONG no more messages come for these subscriptions. Messages that handlers have published until
            // then need a second PING.
            await core.Barriers.FlushAsync(limit.Token).ConfigureAwait(false);
            foreach (Subscription subscription in subscriptions)
            {
                core.Subscriber.Remove(subscription);
            }

            await WhenReadAsync(subscriptions).WaitAsync(limit.Token).ConfigureAwait(false);
            await core.Barriers.FlushAsync(limit.Token).ConfigureAwait(false);
        }
        catch (Exception e) when (e is OperationCanceledException or ConnectionLostException)
        {
            // The time limit has passed or the server is lost, so there is nothing to wait for.
        }

        await EndAsync(quietly: false).ConfigureAwait(false);
    }

    // The queued messages are read before the connection closes, so that the readers can still reply.
    private static Task WhenReadAsync(Subscription[] subscriptions)
        => Task.WhenAll(subscriptions.Select(static s => s.Queued).OfType<QueuedSubscription>().Select(static q => q.WhenHandledAsync()));

    private async Task EndCoreAsync(bool quietly)
    {
        Link? link;
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

        await WaitAtMostAsync(core.Accounting.Settling, CloseGrace).ConfigureAwait(false);
        core.Subscriber.End();
        core.Barriers.End();
        core.Requester.FailAll(new ConnectionLostException("The connection is closed."));
        core.Writable.WakeWriters();
        if (!quietly)
        {
            core.Events.RaiseClosed();
        }

        core.Tracer?.Dispose();
        core.ReleaseLoops();
    }

    private async Task SendAndCloseAsync(Link link)
    {
        // A loop that has already read the link writes to it until the end of its iteration.
        await WaitAtMostAsync(core.Accounting.FlushAllAsync(), CloseGrace).ConfigureAwait(false);
        lock (core.Gate)
        {
            link.Transport.FlushExternal();
        }

        link.Transport.Close(core.Options.DrainTimeout);
        await WaitAtMostAsync(link.Ended, core.Options.DrainTimeout + CloseGrace).ConfigureAwait(false);
    }
}
