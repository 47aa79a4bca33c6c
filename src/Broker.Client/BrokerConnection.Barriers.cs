using System.Diagnostics;
using Broker.Client.Errors;
using Broker.Transport;

namespace Broker.Client;

// A server answers PINGs in order and without a name, so the order of the questions must be known: all of them go through
// the external stage, under the gate.
public sealed partial class BrokerConnection
{
    private const int MostBarriers = 64 * 1024;

    private readonly Queue<(BarrierCallback Callback, object? State, long Through)> _barriers = new();

    // Those whose PING has to wait for the end of a loop's turn: kept here too, because a loop may be stopped before.
    private readonly HashSet<DeferredBarrier> _deferred = [];

    /// <summary>
    /// Asks to be told when the server has dealt with what the caller's thread sent so far: a PING, whose PONG comes
    /// behind everything that follows from it. After a subscribe: every message published from then on comes by it.
    /// </summary>
    /// <param name="callback">
    /// Called once, never on the caller's stack: on <see cref="Loop"/>, or on a thread of the pool when the connection is closed.
    /// </param>
    /// <param name="state">For the callback's use.</param>
    /// <exception cref="InvalidOperationException">65,536 barriers are unanswered.</exception>
    public void Barrier(BarrierCallback callback, object? state = null)
    {
        ArgumentNullException.ThrowIfNull(callback);
        if (CurrentLoop() is { } loop && _link is { } link && link.Transport.GetStage(loop).Length != 0)
        {
            // What this loop has written leaves at the end of its turn, and the PING must come behind it.
            Defer(loop, callback, state);
        }
        else
        {
            SendBarrier(callback, state);
        }
    }

    /// <summary>Waits until the server has dealt with what the caller's thread sent so far.</summary>
    /// <returns>How long the server took to answer.</returns>
    /// <exception cref="ConnectionLostException">There is no server, or it was lost meanwhile.</exception>
    public async Task<TimeSpan> PingAsync(CancellationToken cancellationToken = default)
    {
        long begin = Stopwatch.GetTimestamp();
        var answered = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        Barrier(static (state, reached) => ((TaskCompletionSource<bool>)state!).TrySetResult(reached), answered);
        if (!await answered.Task.WaitAsync(cancellationToken).ConfigureAwait(false))
        {
            throw new ConnectionLostException("There is no server, or it was lost before it answered.");
        }

        return Stopwatch.GetElapsedTime(begin);
    }

    /// <summary>
    /// Waits until the server has dealt with everything that was published before, by any thread and by every loop.
    /// </summary>
    /// <exception cref="ConnectionLostException">There is no server, or it was lost meanwhile.</exception>
    public async Task FlushAsync(CancellationToken cancellationToken = default)
    {
        // Loops that are stopped hand over nothing any more.
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, _ending.Token);
        try
        {
            await HandOverAllAsync().WaitAsync(limit.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw new ConnectionLostException("The connection is closed.");
        }

        await PingAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Asks on behalf of a link, if it is still the one in use.</summary>
    internal void SendPing(Link link, BarrierCallback callback, object? state)
    {
        lock (_gate)
        {
            if (_link == link)
            {
                WritePing(link, callback, state);
            }
        }
    }

    /// <summary>The oldest question is answered. On the loop.</summary>
    internal void TakePong()
    {
        (BarrierCallback Callback, object? State, long Through) barrier;
        lock (_gate)
        {
            if (!_barriers.TryDequeue(out barrier))
            {
                // Nobody asked: harmless.
                return;
            }

            Confirm(barrier.Through);
        }

        Answer(barrier.Callback, barrier.State, true);
    }

    private static void AfterHandOver(EventLoop loop, Action action)
        // What is posted while events are handled runs before the end of the turn; what is posted then runs in the next turn.
        => loop.Post(() => loop.Post(action));

    private void SendBarrier(BarrierCallback callback, object? state)
    {
        lock (_gate)
        {
            if (_barriers.Count + _deferred.Count >= MostBarriers)
            {
                throw new InvalidOperationException("Too many barriers are unanswered.");
            }

            if (_link is { } link)
            {
                WritePing(link, callback, state);
                return;
            }
        }

        // There is no server: whether it stays so is seen on the loop.
        Defer(Loop, callback, state);
    }

    private void Defer(EventLoop loop, BarrierCallback callback, object? state)
    {
        var deferred = new DeferredBarrier(callback, state);
        lock (_gate)
        {
            if (!_ended)
            {
                _deferred.Add(deferred);
                AfterHandOver(loop, () => SendDeferred(deferred));
                return;
            }
        }

        ThreadPool.QueueUserWorkItem(_ => Answer(callback, state, false));
    }

    private void SendDeferred(DeferredBarrier deferred)
    {
        lock (_gate)
        {
            if (!_deferred.Remove(deferred))
            {
                return;
            }

            if (_link is { } link)
            {
                WritePing(link, deferred.Callback, deferred.State);
                return;
            }
        }

        // Another loop of the group may be running this.
        Loop.Run(() => Answer(deferred.Callback, deferred.State, false));
    }

    // Under the gate.
    private void WritePing(Link link, BarrierCallback callback, object? state)
    {
        _barriers.Enqueue((callback, state, CountHandedOver(link)));
        link.Transport.ExternalStage.Write("PING\r\n"u8);
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
            ReportFault(null, e);
        }
    }

    // Every loop has handed over what it had written, and so have the other threads.
    private Task HandOverAllAsync()
    {
        var handedOver = new Task[_group.Count];
        for (int i = 0; i < handedOver.Length; i++)
        {
            var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            EventLoop loop = _group[i];
            handedOver[i] = done.Task;
            // A loop that has ended has handed over.
            if (!loop.TryPost(NextTurn))
            {
                End();
            }

            void NextTurn()
            {
                if (!loop.TryPost(End))
                {
                    End();
                }
            }

            void End()
            {
                NoteHandedOver(_link, loop);
                done.TrySetResult();
            }
        }

        return Task.WhenAll(handedOver);
    }

    private sealed class DeferredBarrier(BarrierCallback callback, object? state)
    {
        internal BarrierCallback Callback { get; } = callback;

        internal object? State { get; } = state;
    }
}
