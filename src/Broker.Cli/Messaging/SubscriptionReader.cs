using System.Globalization;
using Broker.Cli.Shell;
using Broker.Client;

namespace Broker.Cli.Messaging;

/// <summary>Reads subscriptions until a number of messages has arrived, a time is over, or Ctrl+C.</summary>
/// <param name="shell">The streams of the command.</param>
/// <param name="run">The connection.</param>
/// <param name="count">The number of messages after which reading ends, or null for no limit.</param>
/// <param name="timeout">The time after which reading ends, or null for no limit.</param>
internal sealed class SubscriptionReader(ShellStreams shell, ClientRun run, long? count, TimeSpan? timeout)
{
    /// <summary>Subscribes, reads, and returns the exit code.</summary>
    /// <param name="filters">
    /// The subjects. Each has its own queue, so the order of messages of different subjects is not kept.
    /// </param>
    /// <param name="queue">The queue group, or null.</param>
    /// <param name="take">Receives each message and its number, starting at 1.</param>
    /// <param name="pause">Called when no more messages are queued, and at the end.</param>
    public async Task<int> ReadAsync(IReadOnlyList<string> filters, string? queue, Action<Message, long> take, Action pause)
    {
        QueuedSubscription[] subscriptions = [.. filters.Select(filter => run.Connection.SubscribeQueued(filter, queue: queue))];
        try
        {
            if (count is { } most)
            {
                Array.ForEach(subscriptions, subscription => subscription.AutoUnsubscribe(most));
            }

            if (!await run.ConfirmAsync())
            {
                return ExitCode.Failure;
            }

            // The line goes to standard error, so that standard output has only messages. At this point the server has
            // confirmed the subscriptions.
            shell.Say($"subscribed to {string.Join(", ", filters)} (Ctrl+C ends)");
            long taken = await ReadAsync([.. subscriptions], take, pause);
            return Result(taken, subscriptions.Sum(static subscription => subscription.GetStatistics().Dropped));
        }
        finally
        {
            Array.ForEach(subscriptions, static subscription => subscription.Dispose());
        }
    }

    private int Result(long taken, long dropped)
    {
        if (dropped > 0)
        {
            shell.Complain(string.Create(
                CultureInfo.InvariantCulture,
                $"{dropped:N0} messages were dropped, because they arrived faster than they were read"));
            return ExitCode.Undelivered;
        }

        return taken >= count ? ExitCode.Success
            : run.Stop.IsCancellationRequested ? count is null ? ExitCode.Success : ExitCode.Interrupted
            : run.Connection.State == Client.ConnectionState.Closed ? ExitCode.Failure
            : count is null ? ExitCode.Success
            : ExitCode.NothingCame;
    }

    private async Task<long> ReadAsync(List<QueuedSubscription> open, Action<Message, long> take, Action pause)
    {
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(run.Stop);
        if (timeout is { } time)
        {
            ended.CancelAfter(time);
        }

        long most = count ?? long.MaxValue;
        long taken = 0;
        try
        {
            while (taken < most && open.Count > 0)
            {
                bool any = false;
                for (int i = 0; i < open.Count && taken < most; i++)
                {
                    if (open[i].Reader.TryRead(out Message message))
                    {
                        take(message, ++taken);
                        any = true;
                    }
                }

                if (!any)
                {
                    pause();
                    await WaitAsync(open, ended.Token);
                }
            }
        }
        catch (OperationCanceledException) when (ended.IsCancellationRequested)
        {
            // The user has pressed Ctrl+C, or the time is over.
        }

        pause();
        return taken;
    }

    // Waits until a subscription has a message, and removes subscriptions that have ended.
    private static async Task WaitAsync(List<QueuedSubscription> open, CancellationToken stop)
    {
        using var done = CancellationTokenSource.CreateLinkedTokenSource(stop);
        Task<bool>[] waits = [.. open.Select(subscription => subscription.Reader.WaitToReadAsync(done.Token).AsTask())];
        await Task.WhenAny(waits);
        await done.CancelAsync();
        for (int i = waits.Length - 1; i >= 0; i--)
        {
            try
            {
                if (!await waits[i])
                {
                    open.RemoveAt(i);
                }
            }
            catch (OperationCanceledException) when (!stop.IsCancellationRequested)
            {
                // Another subscription has a message.
            }
        }
    }
}
