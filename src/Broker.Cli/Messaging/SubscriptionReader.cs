using System.Globalization;
using Broker.Cli.Shell;
using Broker.Client;

namespace Broker.Cli.Messaging;

/// <summary>Reads a subscription until a number of messages has arrived, a time is over, or Ctrl+C.</summary>
/// <param name="shell">The streams of the command.</param>
/// <param name="run">The connection.</param>
/// <param name="count">The number of messages after which reading ends, or null for no limit.</param>
/// <param name="timeout">The time after which reading ends, or null for no limit.</param>
internal sealed class SubscriptionReader(ShellStreams shell, ClientRun run, long? count, TimeSpan? timeout)
{
    /// <summary>Subscribes, reads, and returns the exit code.</summary>
    /// <param name="filter">The subject.</param>
    /// <param name="queue">The queue group, or null.</param>
    /// <param name="take">Receives each message and its number, starting at 1.</param>
    /// <param name="pause">Called when no more messages are queued, and at the end.</param>
    public async Task<int> ReadAsync(string filter, string? queue, Action<Message, long> take, Action pause)
    {
        using QueuedSubscription subscription = run.Connection.SubscribeQueued(filter, queue: queue);
        if (count is { } most)
        {
            subscription.AutoUnsubscribe(most);
        }

        if (!await run.ConfirmAsync())
        {
            return ExitCode.Failure;
        }

        // The line goes to standard error, so that standard output has only messages. At this point the server has
        // confirmed the subscription.
        shell.Say($"subscribed to {filter} (Ctrl+C ends)");
        long taken = await ReadAsync(subscription, take, pause);
        if (subscription.GetStatistics().Dropped is > 0 and var dropped)
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

    private async Task<long> ReadAsync(QueuedSubscription subscription, Action<Message, long> take, Action pause)
    {
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(run.Stop);
        if (timeout is { } time)
        {
            ended.CancelAfter(time);
        }

        long taken = 0;
        try
        {
            while (taken < (count ?? long.MaxValue) && await subscription.Reader.WaitToReadAsync(ended.Token))
            {
                while (taken < (count ?? long.MaxValue) && subscription.Reader.TryRead(out Message message))
                {
                    take(message, ++taken);
                }

                pause();
            }
        }
        catch (OperationCanceledException) when (ended.IsCancellationRequested)
        {
            // Ctrl+C, or the time is over.
        }

        pause();
        return taken;
    }
}
