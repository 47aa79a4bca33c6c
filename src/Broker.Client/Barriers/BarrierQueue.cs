using System.Diagnostics;
using Broker.Client.Errors;
using Broker.Transport;

namespace Broker.Client.Barriers;

/// <summary>
/// The PINGs that wait for their PONGs. A server answers them in order and without a name, so the order of the questions must be known:
/// all of them go through the external stage, under the gate.
/// </summary>
internal sealed class BarrierQueue(ConnectionCore core)
{
    private const int Most = 64 * 1024;

    private readonly Queue<(BarrierCallback Callback, object? State, long Through)> _asked = new();

    // Those whose PING has to wait for the end of a loop's turn: kept here too, because a loop may be stopped before.
    private readonly HashSet<Deferred> _deferred = [];

    // Nothing that waits is accepted any more, and all that did has been told.
    private bool _ended;

    internal void Ask(BarrierCallback callback, object? state)
    {
        ArgumentNullException.ThrowIfNull(callback);
        if (core.CurrentLoop() is { } loop && core.Link is { } link && link.Transport.GetWriteBuffer(loop).Length != 0)
        {
            // What this loop has written leaves at the end of its turn, and the PING must come behind it.
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
        Ask(static (state, reached) => ((TaskCompletionSource<bool>)state!).TrySetResult(reached), answered);
        if (!await answered.Task.WaitAsync(cancellationToken).ConfigureAwait(false))
        {
            throw new ConnectionLostException("There is no server, or it was lost before it answered.");
        }

        return Stopwatch.GetElapsedTime(begin);
    }

    internal async Task FlushAsync(CancellationToken cancellationToken)
    {
        // Loops that are stopped hand over nothing any more.
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, core.Ending.Token);
        try
        {
            await core.Account.HandOverAllAsync().WaitAsync(limit.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw new ConnectionLostException("The connection is closed.");
        }

        await PingAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Asks on behalf of a link, if it is still the one in use.</summary>
    internal void Ask(Link link, BarrierCallback callback, object? state)
    {
        lock (core.Gate)
        {
            if (core.Link == link)
            {
                WritePing(link, callback, state);
            }
        }
    }

    /// <summary>The oldest question is answered. On the loop.</summary>
    internal void TakePong()
    {
        (BarrierCallback Callback, object? State, long Through) barrier;
        lock (core.Gate)
        {
            if (!_asked.TryDequeue(out barrier))
            {
                // Nobody asked: harmless.
                return;
            }

            core.Account.Confirm(barrier.Through);
        }

        Answer(barrier.Callback, barrier.State, true);
    }

    /// <summary>Takes out those that a lost server will not answer; <see cref="Fail"/> tells them. Under the gate.</summary>
    internal List<(BarrierCallback Callback, object? State)> TakeAsked()
    {
        List<(BarrierCallback, object?)> all = [.. _asked.Select(b => (b.Callback, b.State))];
        _asked.Clear();
        return all;
    }

    internal void Fail(List<(BarrierCallback Callback, object? State)> barriers)
    {
        foreach ((BarrierCallback callback, object? state) in barriers)
        {
            Answer(callback, state, false);
        }
    }

    /// <summary>The connection has ended: all are told, and those that ask later too.</summary>
    internal void End()
    {
        List<(BarrierCallback, object?)> failed;
        lock (core.Gate)
        {
            _ended = true;
            failed = TakeAsked();
            failed.AddRange(_deferred.Select(d => (d.Callback, d.State)));
            _deferred.Clear();
        }

        Fail(failed);
    }

    private void Send(BarrierCallback callback, object? state)
    {
        lock (core.Gate)
        {
            if (_asked.Count + _deferred.Count >= Most)
            {
                throw new InvalidOperationException("Too many barriers are unanswered.");
            }

            if (core.Link is { } link)
            {
                WritePing(link, callback, state);
                return;
            }
        }

        // There is no server: whether it stays so is seen on the loop.
        Defer(core.Loop, callback, state);
    }

    private void Defer(EventLoop loop, BarrierCallback callback, object? state)
    {
        var deferred = new Deferred(callback, state);
        lock (core.Gate)
        {
            if (!_ended)
            {
                _deferred.Add(deferred);
                Publishing.OutboundAccount.AfterHandOver(loop, () => SendDeferred(deferred));
                return;
            }
        }

        ThreadPool.QueueUserWorkItem(_ => Answer(callback, state, false));
    }

    private void SendDeferred(Deferred deferred)
    {
        lock (core.Gate)
        {
            if (!_deferred.Remove(deferred))
            {
                return;
            }

            if (core.Link is { } link)
            {
                WritePing(link, deferred.Callback, deferred.State);
                return;
            }
        }

        // Another loop of the group may be running this.
        core.Loop.Run(() => Answer(deferred.Callback, deferred.State, false));
    }

    // Under the gate.
    private void WritePing(Link link, BarrierCallback callback, object? state)
    {
        _asked.Enqueue((callback, state, core.Account.CountHandedOver(link)));
        link.Transport.ExternalWriteBuffer.Write("PING\r\n"u8);
        link.Transport.FlushExternal();
    }

    private void Answer(BarrierCallback callback, object? state, bool reached)
    {
        try
        {
            callback(state, reached);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            core.Events.ReportFault(null, e);
        }
    }

    private sealed class Deferred(BarrierCallback callback, object? state)
    {
        internal BarrierCallback Callback { get; } = callback;

        internal object? State { get; } = state;
    }
}
