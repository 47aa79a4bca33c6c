using Broker.Transport;

namespace Broker.Server;

/// <summary>Ends all connections of a server, with or without the delivery of queued messages.</summary>
/// <param name="core">The server's state.</param>
/// <param name="loops">The server's event loops.</param>
/// <param name="events">The publisher of the shutdown event.</param>
internal sealed class ServerShutdown(ServerCore core, EventLoopGroup loops, SystemEvents events)
{
    /// <summary>
    /// The longest wait for the loops or for the connections. A loop that its owner has stopped never answers.
    /// </summary>
    internal static readonly TimeSpan MaxWait = TimeSpan.FromSeconds(5);

    private static readonly TimeSpan PollInterval = TimeSpan.FromMilliseconds(10);

    // Most clients close their side at once, and the stop should not last much longer than they need.
    private static readonly TimeSpan FirstPollInterval = TimeSpan.FromMilliseconds(1);

    /// <inheritdoc cref="BrokerServer.DrainAsync"/>
    internal async Task<DrainReport> DrainAsync(TimeSpan timeout, CancellationToken cancellationToken)
    {
        await events.PublishShutdownAsync(MaxWait).ConfigureAwait(false);
        core.IsShuttingDown = core.IsDraining = true;
        await LoopFlush.RunAsync(loops, MaxWait).ConfigureAwait(false);
        Close(timeout);

        // Each connection closes on its own event loop. A drain is rare, so this method may poll the clock.
        long end = core.Tick + (long)Math.Min(timeout.TotalMilliseconds, long.MaxValue / 2);
        bool isCut = false;
        for (TimeSpan wait = FirstPollInterval; core.HasSessions; wait = LongerPoll(wait))
        {
            if (!isCut && (cancellationToken.IsCancellationRequested || core.Tick >= end))
            {
                // This also closes connections that only wait for the peer to close its side.
                isCut = true;
                CloseAll();
            }

            await Task.Delay(wait, CancellationToken.None).ConfigureAwait(false);
        }

        return core.Undelivered;
    }

    /// <summary>Publishes the shutdown event unless a drain has published it, and ends all events.</summary>
    internal async Task PublishAsync()
    {
        if (!core.IsShuttingDown)
        {
            await events.PublishShutdownAsync(PollInterval).ConfigureAwait(false);
        }

        core.IsShuttingDown = true;
        events.Dispose();
    }

    /// <summary>Closes all connections without delivering their queued messages.</summary>
    internal void CloseAll() => Close(TimeSpan.Zero);

    /// <summary>
    /// Waits until loops that belong to the caller have closed the connections, which they do in their next iteration,
    /// unless the loops have stopped.
    /// </summary>
    internal async Task WaitForConnectionsAsync()
    {
        TimeSpan wait = FirstPollInterval;
        for (TimeSpan waited = TimeSpan.Zero; core.HasSessions && waited < MaxWait; waited += wait)
        {
            await Task.Delay(wait, CancellationToken.None).ConfigureAwait(false);
            wait = LongerPoll(wait);
        }
    }

    private static TimeSpan LongerPoll(TimeSpan wait) => wait * 2 < PollInterval ? wait * 2 : PollInterval;

    private void Close(TimeSpan linger)
    {
        foreach (ClientSession session in core.Sessions)
        {
            session.Channel.Close(linger);
        }
    }
}
