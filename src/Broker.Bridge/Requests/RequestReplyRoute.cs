using Broker.ZeroMq;
using Broker.ZeroMq.Loops;

namespace Broker.Bridge;

/// <summary>
/// The common part of request and worker routes: a table of pending requests, their time to live, and the close. The
/// socket and all other work run on the connection's loop.
/// </summary>
internal abstract class RequestReplyRoute : BridgeRoute
{
    /// <summary>
    /// How long a closing route waits until it receives no more requests, for the replies of its workers, or for
    /// replies while no server is connected.
    /// </summary>
    private protected static readonly TimeSpan StopGrace = TimeSpan.FromSeconds(2);

    private readonly IReadOnlyList<BridgeEndpoint> _configured;
    private IReadOnlyList<string> _endpoints = [];
    private TaskCompletionSource? _settled;

    private protected RequestReplyRoute(
        SocketRouteOptions options, int maxPending, TimeSpan timeToLive, RouteContext context)
        : base(options, context)
    {
        _configured = options.Endpoints;
        Pending = new PendingRequests(maxPending);
        Clock = new RequestClock(Loop, Pending, timeToLive, Expire);
    }

    private protected PendingRequests Pending { get; }

    private protected RequestClock Clock { get; }

    private protected RequestReplyCounters Counters { get; } = new();

    /// <summary>Whether a server is connected. Used on the loop.</summary>
    private protected bool HasServer { get; private set; }

    /// <summary>Whether the route accepts no more requests. Used on the loop.</summary>
    private protected bool IsStopping { get; private set; }

    /// <summary>The socket of the ZeroMQ programs.</summary>
    private protected abstract SingleLoopSocket Socket { get; }

    internal override void Open() => _endpoints = Open(Socket, _configured);

    // Replies may still come through another server of the cluster. Until a server is connected again, programs wait.
    internal override void OnServerLost() => HasServer = false;

    internal override void OnServerConnected()
    {
        HasServer = true;
        ResumePrograms();
    }

    internal override void OnWritable() => ResumePrograms();

    internal override async Task<long> CloseAsync(TimeSpan linger)
    {
        // Waits within the linger time for replies that are on their way.
        long begin = Environment.TickCount64;
        await SettleAsync(linger).ConfigureAwait(false);
        await OnLoopAsync(End).ConfigureAwait(false);
        TimeSpan left = linger - TimeSpan.FromMilliseconds(Environment.TickCount64 - begin);
        ZeroMqCloseReport report =
            await Socket.CloseAsync(left > TimeSpan.Zero ? left : TimeSpan.Zero).ConfigureAwait(false);
        return report.Undelivered;
    }

    /// <summary>The task that completes when no more requests arrive after <see cref="StopRequests"/>.</summary>
    private protected Task Draining { get; set; } = Task.CompletedTask;

    /// <summary>Stops accepting requests. Called on the loop.</summary>
    private protected abstract void StopRequests();

    /// <summary>Resumes the paused programs if this is possible now. Called on the loop.</summary>
    private protected abstract void ResumePrograms();

    /// <summary>Handles a request whose time to live is over, and removes it. Called on the loop.</summary>
    private protected abstract void Expire(int slot);

    /// <summary>Removes a completed request. Called on the loop.</summary>
    private protected abstract void Release(int slot);

    /// <summary>Called on the loop before the remaining requests are abandoned.</summary>
    private protected virtual void OnEnding()
    {
    }

    /// <summary>Stops accepting requests and waits until none is pending, at most for the given time.</summary>
    private protected async Task SettleAsync(TimeSpan most)
    {
        var settled = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task draining = Task.CompletedTask;
        bool hasServer = false;
        await StopAsync(() =>
        {
            StopRequests();
            draining = Draining;
            hasServer = HasServer;
            _settled = settled;
            NotifyIfSettled();
        }).ConfigureAwait(false);
        if (!draining.IsCompleted)
        {
            await Task.WhenAny(draining, Task.Delay(StopGrace)).ConfigureAwait(false);
        }

        if (most > TimeSpan.Zero)
        {
            // Without a server no reply arrives, unless the client soon reaches another server of the cluster.
            TimeSpan wait = hasServer || most < StopGrace ? most : StopGrace;
            await Task.WhenAny(settled.Task, Task.Delay(wait)).ConfigureAwait(false);
        }
    }

    /// <summary>Runs an action on the loop and marks the route as stopping before it.</summary>
    private protected Task StopAsync(Action action) => OnLoopAsync(() =>
    {
        IsStopping = true;
        action();
    });

    /// <summary>
    /// Must be called after a request was removed: completes a close that waits for the last request.
    /// </summary>
    private protected void NotifyIfSettled()
    {
        if (_settled is not null && Pending.Count == 0)
        {
            _settled.TrySetResult();
        }
    }

    /// <summary>Adds the common counters to a snapshot.</summary>
    private protected T AddCommon<T>(T snapshot)
        where T : RouteSnapshot
    {
        long refused = Socket.MessagesRefused;
        return (T)(snapshot with
        {
            Endpoints = _endpoints,
            Peers = Socket.Peers.Count,
            FromZeroMq = Volatile.Read(ref Counters.FromZeroMq) + refused,
            ToSubjects = Volatile.Read(ref Counters.ToSubjects),
            FromSubjects = Volatile.Read(ref Counters.FromSubjects),
            ToZeroMq = Volatile.Read(ref Counters.ToZeroMq),
            Refused = Volatile.Read(ref Counters.Refused) + refused,
        });
    }

    private void End()
    {
        OnEnding();
        Clock.Stop();
        while (Pending.Oldest >= 0)
        {
            Counters.Abandoned++;
            BridgeTracer.Fail(Pending[Pending.Oldest].Span, "abandoned");
            Release(Pending.Oldest);
        }
    }
}
