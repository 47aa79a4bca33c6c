using System.Diagnostics;

namespace Broker.ZeroMq.Loops;

public abstract partial class LoopSocket
{
    private readonly List<ZeroMqUndelivered> _undelivered = [];
    private readonly TaskCompletionSource _empty = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private long _abandoned;
    private Task<ZeroMqCloseReport>? _closed;
    private volatile bool _closing;
    private bool _isDraining;
    private volatile bool _refusesEndpoints;

    /// <summary>
    /// Closes the socket. The socket accepts no more peers and no more messages, sends the queued messages for up to
    /// <paramref name="linger"/>, and then closes all connections. During the linger time it still connects to
    /// endpoints for which messages are queued. Further calls return the result of the first call.
    /// </summary>
    /// <param name="linger">
    /// The time for sending queued messages. Zero drops the messages; <see cref="Timeout.InfiniteTimeSpan"/> waits
    /// without a limit.
    /// </param>
    /// <returns>
    /// A report of the messages that were not delivered. The task completes at most about a second after the linger
    /// time.
    /// </returns>
    public Task<ZeroMqCloseReport> CloseAsync(TimeSpan linger) => CloseAsync(linger, onLingering: null);

    /// <summary>Closes the socket. See <see cref="CloseAsync(TimeSpan)"/>.</summary>
    /// <param name="linger">The time for sending queued messages.</param>
    /// <param name="onLingering">
    /// Called when only waiting for peers is left to do; null if the caller does not need it. It may be called twice
    /// and on any thread.
    /// </param>
    internal Task<ZeroMqCloseReport> CloseAsync(TimeSpan linger, Action? onLingering)
    {
        TimeoutLimits.Require(linger, nameof(linger));
        lock (_gate)
        {
            _closing = _refusesEndpoints = true;
            return _closed ??= CloseCoreAsync(linger.Bounded(), onLingering);
        }
    }

    /// <summary>
    /// Stops listening, and refuses further binds and connects. The peers stay connected. When the method returns,
    /// another socket can bind the same endpoints.
    /// </summary>
    internal void ReleaseEndpoints()
    {
        lock (_gate)
        {
            _refusesEndpoints = true;
            foreach (IDisposable listener in _endpoints.Listeners)
            {
                listener.Dispose();
            }
        }
    }

    /// <summary>
    /// Adds a session. Returns false if the session must close because the socket has too many peers or is closing.
    /// Called on the session's loop.
    /// </summary>
    internal bool TryAdd(PeerSession session, out string? reason)
    {
        PeerSession? displaced = null;
        bool entered;
        lock (_gate)
        {
            bool full = _registry.Count >= _options.MaxPeers
                && (displaced = _registry.DisplaceSilent(_options.SilenceAllowed)) is null;
            reason = full && !_closing ? "too many peers" : null;
            entered = (!_closing || (_isDraining && session.Link is not null)) && !full && _registry.Add(session);
        }

        displaced?.Loop.Run(
            () => displaced.Refuse("it sent nothing after its handshake, and another peer needs its place"));
        return entered;
    }

    internal void Remove(PeerSession session, ZeroMqUndelivered? undelivered)
    {
        lock (_gate)
        {
            _registry.Remove(session);
            if (!_closing)
            {
                return;
            }

            if (undelivered is not null)
            {
                _undelivered.Add(undelivered);
            }

            if (_registry.IsEmpty && !_isDraining)
            {
                _empty.TrySetResult();
            }
        }
    }

    /// <summary>
    /// Completes when no message waits for a connection any more. Called under the socket's lock, after
    /// <see cref="OnClosing"/>.
    /// </summary>
    private protected virtual Task BacklogSentAsync() => Task.CompletedTask;

    /// <summary>
    /// Called when the socket begins to close: from now on nothing is added to the peers' queues. Called under the
    /// socket's lock.
    /// </summary>
    private protected virtual void OnClosing()
    {
    }

    private async Task<ZeroMqCloseReport> CloseCoreAsync(TimeSpan linger, Action? onLingering)
    {
        OnClosing();
        ReleaseEndpoints();
        OutgoingLink[] links = [.. _endpoints.Links];
        _isDraining = linger > TimeSpan.Zero && links.Length > 0;
        if (_isDraining)
        {
            // CloseAsync holds _gate until the first await yields, so BacklogSentAsync runs under the lock.
            long before = Stopwatch.GetTimestamp();
            Task sent = BacklogSentAsync();
            await FlushLoopsAsync().ConfigureAwait(false);
            if (!sent.IsCompleted)
            {
                onLingering?.Invoke();
                await Task.WhenAny(sent, Task.Delay(linger)).ConfigureAwait(false);
            }

            TimeSpan left = linger - Stopwatch.GetElapsedTime(before);
            linger = left > TimeSpan.Zero ? left : TimeSpan.Zero;
        }

        return await EndAsync(links, linger, onLingering).ConfigureAwait(false);
    }

    private async Task<ZeroMqCloseReport> EndAsync(OutgoingLink[] links, TimeSpan linger, Action? onLingering)
    {
        lock (_gate)
        {
            _isDraining = false;
            if (_registry.IsEmpty)
            {
                _empty.TrySetResult();
            }
        }

        foreach (OutgoingLink link in links)
        {
            link.Dispose();
            OnDisconnecting(link);
        }

        await FlushLoopsAsync().ConfigureAwait(false);
        PeerSession[] left;
        lock (_gate)
        {
            left = _registry.ToArray();
        }

        foreach (PeerSession session in left)
        {
            session.Close(linger);
        }

        if (onLingering is not null && linger > TimeSpan.Zero)
        {
            await FlushLoopsAsync().ConfigureAwait(false);
            if (!_empty.Task.IsCompleted)
            {
                onLingering();
            }
        }

        await _empty.Task.ConfigureAwait(false);
        Loops.MemoryBudget.CancelNotification(_onMemoryAvailable);
        lock (_gate)
        {
            return new ZeroMqCloseReport(_undelivered.Sum(u => u.Messages) + _abandoned, [.. _undelivered]);
        }
    }

    /// <summary>
    /// Completes after two iterations of the loops. A loop flushes written messages at the end of an iteration, so by
    /// then the connections have everything that was written before the call.
    /// </summary>
    internal async Task FlushLoopsAsync()
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        for (int iteration = 0; iteration < 2; iteration++)
        {
            for (int i = 0; i < Loops.Count; i++)
            {
                if (_singleLoop is not null && _singleLoop != Loops[i])
                {
                    continue;
                }

                var passed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                if (Loops[i].TryPost(passed.SetResult))
                {
                    await passed.Task.ConfigureAwait(false);
                }
            }
        }
    }
}
