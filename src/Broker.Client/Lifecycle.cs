using Broker.Client.Errors;
using Broker.Client.Subscriptions;

namespace Broker.Client;

/// <summary>How a connection ends: once, with or without a drain before.</summary>
internal sealed class Lifecycle(ConnectionCore core)
{
    /// <summary>Beyond what the transport grants itself for an orderly end.</summary>
    internal static readonly TimeSpan EndGrace = TimeSpan.FromSeconds(5);

    private Task? _end;
    private Task? _drain;

    /// <param name="quietly">Whether nobody knows of this connection yet, and <see cref="ClientOptions.OnClosed"/> is not due.</param>
    internal Task EndAsync(bool quietly)
    {
        lock (core.Gate)
        {
            // Not on the caller's thread: it may be a loop, which must not be waited for on itself.
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

    /// <summary>The loops of a shared group may have been stopped before their time; nothing may hang for that.</summary>
    internal static async Task InTimeAsync(Task task, TimeSpan limit)
    {
        try
        {
            await task.WaitAsync(limit).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            // What is not sent for it is counted as lost.
        }
    }

    private async Task DrainThenEndAsync(CancellationToken cancellationToken)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, core.Ending.Token);
        limit.CancelAfter(core.Options.DrainTimeout);
        try
        {
            Subscription[] subscriptions = core.Subscriber.AnnounceDrain();
            // Behind the PONG nothing more comes for them; what handlers have published by then needs another.
            await core.Barriers.FlushAsync(limit.Token).ConfigureAwait(false);
            foreach (Subscription subscription in subscriptions)
            {
                core.Subscriber.Forget(subscription);
            }

            await WhenReadAsync(subscriptions).WaitAsync(limit.Token).ConfigureAwait(false);
            await core.Barriers.FlushAsync(limit.Token).ConfigureAwait(false);
        }
        catch (Exception e) when (e is OperationCanceledException or ConnectionLostException)
        {
            // The time is over or the server lost: nothing more can be waited for.
        }

        await EndAsync(quietly: false).ConfigureAwait(false);
    }

    // What waits in queues is read before the connection closes, so that the readers can still answer.
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
            core.Replay.Drop();
        }

        await core.Ending.CancelAsync().ConfigureAwait(false);
        if (link is not null)
        {
            await SendOffAsync(link).ConfigureAwait(false);
        }

        await InTimeAsync(core.Account.Settling, EndGrace).ConfigureAwait(false);
        core.Subscriber.End();
        core.Barriers.End();
        core.Requester.FailAll(new ConnectionLostException("The connection is closed."));
        core.Room.WakeWriters();
        if (!quietly)
        {
            core.Events.TellClosed();
        }

        core.Tracer?.Dispose();
        core.LeaveLoops();
    }

    private async Task SendOffAsync(Link link)
    {
        // A loop that had the link in hand writes to it until the end of its turn.
        await InTimeAsync(core.Account.HandOverAllAsync(), EndGrace).ConfigureAwait(false);
        lock (core.Gate)
        {
            link.Transport.FlushExternal();
        }

        link.Transport.Close(core.Options.DrainTimeout);
        await InTimeAsync(link.Ended, core.Options.DrainTimeout + EndGrace).ConfigureAwait(false);
    }
}
