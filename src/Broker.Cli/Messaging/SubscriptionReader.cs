using System.Globalization;
using Broker.Cli.Shell;
using Broker.Client;

namespace Broker.Cli.Messaging;

/// <summary>Reads one subscription to the end that was asked for.</summary>
/// <param name="shell">Where it speaks.</param>
/// <param name="run">The connection.</param>
/// <param name="count">After how many messages it ends; null for never.</param>
/// <param name="timeout">After what time it ends; null for never.</param>
internal sealed class SubscriptionReader(ShellStreams shell, ClientRun run, long? count, TimeSpan? timeout)
{
    /// <summary>Answers the exit code.</summary>
    /// <param name="filter">The subject.</param>
    /// <param name="queue">The queue group, or null.</param>
    /// <param name="take">Given each message and its number, from 1.</param>
    /// <param name="pause">Called when there is nothing more for now, and at the end.</param>
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

        // On standard error, where it is in nobody's way, and after the server has said that it holds.
        shell.Say($"subscribed to {filter} (Ctrl+C ends)");
        long taken = await ReadAsync(subscription, take, pause);
        if (subscription.GetStatistics().Dropped is > 0 and var dropped)
        {
            shell.Complain(string.Create(CultureInfo.InvariantCulture, $"{dropped:N0} messages came faster than they were read and were left out"));
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
            // By Ctrl+C or by the clock.
        }

        pause();
        return taken;
    }
}
