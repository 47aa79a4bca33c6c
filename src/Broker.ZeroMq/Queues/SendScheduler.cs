using System.Runtime.CompilerServices;
using Broker.Transport;

namespace Broker.ZeroMq;

/// <summary>
/// Decides when and on which thread the messages of a <see cref="SendQueue"/> are sent: on the loop, or on a writer's
/// thread if the sender has a gate.
/// </summary>
internal sealed class SendScheduler
{
    private readonly EventLoop _loop;
    private readonly SendQueueCounters _counters;
    private readonly SendQueueReader _reader;
    private readonly RoomSignal _room;
    private readonly StreamWindow _window;
    private readonly Lock? _gate;
    private readonly bool _isPrompt;
    private readonly Action _flush;
    private readonly TaskCompletionSource _emptied = new(TaskCreationOptions.RunContinuationsAsynchronously);

    // _isAwake is true while the loop will check the queue without a notification. _isPosted is 1 while a notification
    // is pending.
    private volatile bool _isAwake;
    private int _isPosted;

    // The loop sets this flag if it found the gate taken. The writer that leaves the gate then notifies the loop again.
    private volatile bool _isWanted;

    /// <param name="loop">The loop that sends.</param>
    /// <param name="counters">The queue's counters.</param>
    /// <param name="reader">The reader's side of the queue.</param>
    /// <param name="room">The signal for writers.</param>
    /// <param name="gate">The sender's lock, under which writers may send too; null if only the loop may send.</param>
    /// <param name="isPrompt">Whether each message is sent at once.</param>
    internal SendScheduler(
        EventLoop loop, SendQueueCounters counters, SendQueueReader reader, RoomSignal room, Lock? gate, bool isPrompt)
    {
        _loop = loop;
        _counters = counters;
        _reader = reader;
        _room = room;
        _gate = gate;
        _isPrompt = isPrompt;
        _flush = Flush;
        _window = new StreamWindow(loop, counters, gate is not null, _flush);
    }

    /// <summary>Whether the loop will check the queue without a notification.</summary>
    internal bool IsAwake => _isAwake;

    /// <summary>Completes when the reader has taken every message of a closed queue.</summary>
    internal Task Emptied => _emptied.Task;

    /// <summary>
    /// Sends the waiting messages, or notifies the loop. A writer sends at once if many messages are waiting. It also
    /// sends a single message while the loop sleeps, because waking the loop would cost more. If single messages follow
    /// each other closely, the queue collects them instead.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal void SendOrNotify(bool isMuch)
    {
        if (!(isMuch || _isPrompt || _window.CountSingle()) || !TrySendHere())
        {
            NotifyLoop();
        }
    }

    /// <summary>Sends waiting messages now, on this thread or on the loop. May be called on any thread.</summary>
    internal void FlushNow()
    {
        if (_isAwake && _counters.Waiting > 0 && !TrySendHere())
        {
            NotifyLoop();
        }
    }

    /// <summary>Called on the loop when a peer can take messages again.</summary>
    internal void Resume()
    {
        if (_counters.IsPaused)
        {
            _counters.IsPaused = false;
            _isAwake = true;
            Flush();
            _room.Wake();
        }
    }

    /// <summary>Makes the loop check the queue. May be called on any thread.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal void NotifyLoop()
    {
        _isAwake = true;
        if (Interlocked.Exchange(ref _isPosted, 1) != 0)
        {
            return;
        }

        if (_loop.IsCurrent)
        {
            Flush();
        }
        else
        {
            _loop.Post(_flush);
        }
    }

    /// <summary>
    /// Drops the messages that have not been taken. Called after the queue was closed, on the loop or after the loop
    /// has ended.
    /// </summary>
    /// <param name="first">The chunk with which the reader continues.</param>
    /// <returns>The number of dropped messages.</returns>
    internal long Drop(MessageChunk first)
    {
        _gate?.Enter();
        _reader.Reset(first);
        long dropped = _counters.TakeAll();
        _emptied.TrySetResult();
        _gate?.Exit();
        return dropped;
    }

    // Does the loop's work on the writer's thread. Returns false if another thread is sending, or if more messages are
    // waiting than one iteration may send. The caller must then notify the loop.
    private bool TrySendHere()
    {
        if (_gate is null || _counters.IsPaused || !_gate.TryEnter())
        {
            return false;
        }

        bool isDone;
        try
        {
            isDone = !_reader.IsDraining && _reader.TryDrain(out _);
        }
        finally
        {
            _gate.Exit();
        }

        Interlocked.MemoryBarrier();
        if (_isWanted)
        {
            _isWanted = false;
            return false;
        }

        return isDone;
    }

    private void Flush()
    {
        Volatile.Write(ref _isPosted, 0);
        if (_gate is null)
        {
            Interlocked.MemoryBarrier();
            FlushAlone();
            return;
        }

        // The loop does not wait for a writer that is sending. Either that writer sees this flag when it leaves the
        // gate, or the loop enters the gate itself.
        _isWanted = true;
        Interlocked.MemoryBarrier();
        if (_gate.TryEnter())
        {
            try
            {
                _isWanted = false;
                FlushAlone();
            }
            finally
            {
                _gate.Exit();
            }
        }
    }

    private void FlushAlone()
    {
        while (!_counters.IsPaused && !_reader.IsDraining)
        {
            if (!_reader.TryDrain(out bool isEmpty))
            {
                // More messages are waiting, but other work on the loop runs first.
                if (Interlocked.Exchange(ref _isPosted, 1) == 0)
                {
                    _loop.Post(_flush);
                }

                return;
            }

            if (!isEmpty || (!_counters.IsClosed && (_window.UpdateStreaming() || !TryGoToSleep())))
            {
                return;
            }

            if (_counters.IsClosed && !_reader.HasMore)
            {
                break;
            }
        }

        if (_counters.IsClosed && !_reader.HasMore)
        {
            _emptied.TrySetResult();
        }
    }

    // A writer stores its message and then reads _isAwake without a barrier between the store and the read. The
    // process-wide barrier here replaces the missing barrier. Measured on one processor: the writer's store costs 0.5
    // ns; with a full barrier it would cost 6.7 ns. Returns true if a message has arrived, so the loop stays awake.
    private bool TryGoToSleep()
    {
        _isAwake = false;
        Interlocked.MemoryBarrierProcessWide();
        return _isAwake = _reader.HasMore;
    }
}
