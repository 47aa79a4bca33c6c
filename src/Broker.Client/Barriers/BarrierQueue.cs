using System.Diagnostics;
using System.Globalization;
using Broker.Transport;

namespace Broker.Client;

/// <summary>
/// The PINGs that wait for their PONGs. A server answers PINGs in order and without an identifier, so the order of the
/// PINGs must be known. Therefore all PINGs go through the external buffer, under the gate.
/// </summary>
internal sealed class BarrierQueue(SharedState shared, OutboundAccounting accounting, IConnectionEvents events)
{
    private const int MaxPending = 64 * 1024;

    private readonly Queue<(BarrierCallback Callback, object? State, long Through)> _pending = new();

    // The barriers whose PING must wait for the end of a loop's iteration. They are stored here too, because the loop
    // may be stopped before its iteration ends.
    private readonly HashSet<Deferred> _deferred = [];

    // Whether the connection has closed and all pending barriers have failed.
    private bool _ended;

    internal void Add(BarrierCallback callback, object? state)
    {
        ArgumentNullException.ThrowIfNull(callback);
        if (shared.CurrentLoop() is { } loop && shared.Link is { } link && link.Transport.GetWriteBuffer(loop).Length != 0)
        {
            // This loop's bytes are flushed at the end of its iteration, and the PING must come after them.
            Defer(loop, callback, state);
        }
        else
        {
            Send(callback, state);
        }
    }

    internal async Task<TimeSpan> PingAsync(CancellationToken cancellationToken)
    {
        long begin = Stopwatch.GetTimestamp();
        var answered = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        Add(static (state, reached) => ((TaskCompletionSource<bool>)state!).TrySetResult(reached), answered);
        if (!await answered.Task.WaitAsync(cancellationToken).ConfigureAwait(false))
        {
            throw new ConnectionLostException("No server is connected, or it was lost before it answered.");
        }

        return Stopwatch.GetElapsedTime(begin);
    }

    internal async Task FlushAsync(CancellationToken cancellationToken)
    {
        // Stopped loops do not flush any more.
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, shared.Ending.Token);
        try
        {
            await accounting.FlushAllAsync().WaitAsync(limit.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw new ConnectionLostException("The connection is closed.");
        }

        await PingAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Sends a PING for a link, if it is still the current link.</summary>
    internal void Add(ServerLink link, BarrierCallback callback, object? state)
    {
        lock (shared.Gate)
        {
            if (shared.Link == link)
            {
                WritePing(link, callback, state);
            }
        }
    }

    /// <summary>Completes the oldest barrier. Called on the loop.</summary>
    internal void ReceivePong()
    {
        (BarrierCallback Callback, object? State, long Through) barrier;
        lock (shared.Gate)
        {
            if (!_pending.TryDequeue(out barrier))
            {
                // The server sent a PONG without a PING, which does no harm.
                return;
            }

            accounting.Confirm(barrier.Through);
        }

        Complete(barrier.Callback, barrier.State, true);
    }

    /// <summary>
    /// Removes the barriers that a lost server will not answer, so that the caller can pass them to <see cref="Fail"/>.
    /// Called under the gate.
    /// </summary>
    internal List<(BarrierCallback Callback, object? State)> RemovePending()
    {
        List<(BarrierCallback, object?)> all = [.. _pending.Select(b => (b.Callback, b.State))];
        _pending.Clear();
        return all;
    }

    internal void Fail(List<(BarrierCallback Callback, object? State)> barriers)
    {
        foreach ((BarrierCallback callback, object? state) in barriers)
        {
            Complete(callback, state, false);
        }
    }

    /// <summary>Fails all pending and all later barriers, because the connection has closed.</summary>
    internal void End()
    {
        List<(BarrierCallback, object?)> failed;
        lock (shared.Gate)
        {
            _ended = true;
            failed = RemovePending();
            failed.AddRange(_deferred.Select(d => (d.Callback, d.State)));
            _deferred.Clear();
        }

        Fail(failed);
    }

    private void Send(BarrierCallback callback, object? state)
    {
        lock (shared.Gate)
        {
            if (_pending.Count + _deferred.Count >= MaxPending)
            {
                throw new InvalidOperationException(string.Create(CultureInfo.InvariantCulture, $"A connection cannot have more than {MaxPending:N0} unanswered barriers."));
            }

            if (shared.Link is { } link)
            {
                WritePing(link, callback, state);
                return;
            }
        }

        // No server is connected. The loop checks later whether this has changed.
        Defer(shared.Loop, callback, state);
    }

    private void Defer(EventLoop loop, BarrierCallback callback, object? state)
    {
        var deferred = new Deferred(callback, state);
        lock (shared.Gate)
        {
            if (!_ended)
            {
                _deferred.Add(deferred);
                OutboundAccounting.RunAfterFlush(loop, () => SendDeferred(deferred));
                return;
            }
        }

        ThreadPool.QueueUserWorkItem(_ => Complete(callback, state, false));
    }

    private void SendDeferred(Deferred deferred)
    {
        lock (shared.Gate)
        {
            if (!_deferred.Remove(deferred))
            {
                return;
            }

            if (shared.Link is { } link)
            {
                WritePing(link, deferred.Callback, deferred.State);
                return;
            }
        }

        // Another loop of the group may run this code.
        shared.Loop.Run(() => Complete(deferred.Callback, deferred.State, false));
    }

    // Called under the gate.
    private void WritePing(ServerLink link, BarrierCallback callback, object? state)
    {
        _pending.Enqueue((callback, state, accounting.CountFlushed(link)));
        link.Transport.ExternalWriteBuffer.Write("PING\r\n"u8);
        link.Transport.FlushExternal();
    }

    private void Complete(BarrierCallback callback, object? state, bool reached)
    {
        try
        {
            callback(state, reached);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            events.ReportFault(e);
        }
    }

    private sealed class Deferred(BarrierCallback callback, object? state)
    {
        internal BarrierCallback Callback { get; } = callback;

        internal object? State { get; } = state;
    }
}
