using System.Runtime.CompilerServices;
using Broker.Transport;

namespace Broker.ZeroMq.Queues;

// The reader's side, and how the loop or a writer comes to be it.
internal sealed partial class SendQueue
{
    private const int WorthSending = 32 * 1024;

    // Then others on the loop have their turn.
    private const int MostPerTurn = 512 * 1024;

    // A flush for single messages costs more than the messages, so who sends this often between two looks at the clock is made to wait.
    private const int FlushesToStream = 16;

    private static readonly TimeSpan StreamWindow = TimeSpan.FromMilliseconds(1);

    private readonly Action _flush;
    private LoopTimer? _window;
    private readonly TaskCompletionSource _emptied = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private MessageChunk _head;
    private int _read;
    private int _readMessages;
    private long _flushTick;
    private int _flushes;
    private bool _isStreaming;
    private long _takenAtTick;

    // Under the gate where there is one.
    private bool _isDraining;

    // Whether the loop will look without being told; and whether it was told.
    private volatile bool _isAwake;
    private int _isPosted;

    /// <summary>Lets the loop look now, if there is anything: for who is about to wait for an answer. Any thread.</summary>
    internal void Push()
    {
        if (_isAwake && Waiting > 0 && !TrySendHere())
        {
            Nudge();
        }
    }

    /// <summary>A peer has room. On the loop.</summary>
    internal void Resume()
    {
        if (_isHeldUp)
        {
            _isHeldUp = false;
            _isAwake = true;
            Flush();
            WakeWriters();
        }
    }

    /// <summary>No peer has room. On the loop.</summary>
    internal void HoldUp() => _isHeldUp = true;

    /// <summary>Takes no more and ends all waits; what there is still goes to the loop. Any thread.</summary>
    /// <returns>Ends when the loop has taken everything.</returns>
    internal Task SealAsync()
    {
        var bias = _writers.Enter();
        _isClosed = true;
        _writers.Exit(bias);
        Waiters.WakeAll();
        GotRoom?.Invoke();
        Nudge();
        return _emptied.Task;
    }

    /// <summary>Gives up what the loop has not taken. After <see cref="SealAsync"/>; on the loop, or when there is none any more.</summary>
    /// <returns>How many messages those were.</returns>
    internal long Drop()
    {
        Gate?.Enter();
        long dropped = _written - _taken;
        for (var chunk = _head; chunk is not null;)
        {
            var next = chunk.Next;
            _pool.Give(chunk);
            chunk = next;
        }

        _head = _tail = new MessageChunk([], sizeClass: -1);
        _read = _readMessages = 0;
        Volatile.Write(ref _taken, _written);
        _emptied.TrySetResult();
        Gate?.Exit();
        return dropped;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Nudge()
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

    private void Flush()
    {
        Volatile.Write(ref _isPosted, 0);
        if (Gate is null)
        {
            Interlocked.MemoryBarrier();
            FlushAlone();
            return;
        }

        // The loop waits for nobody who sends: he sees this when he has done, or the loop gets in.
        _isWanted = true;
        Interlocked.MemoryBarrier();
        if (Gate.TryEnter())
        {
            try
            {
                _isWanted = false;
                FlushAlone();
            }
            finally
            {
                Gate.Exit();
            }
        }
    }

    private void FlushAlone()
    {
        while (!_isHeldUp && !_isDraining)
        {
            if (!TryDrain(out bool isEmpty))
            {
                // There is more, and others have waited for their turn.
                if (Interlocked.Exchange(ref _isPosted, 1) == 0)
                {
                    _loop.Post(_flush);
                }

                return;
            }

            if (!isEmpty || (!_isClosed && (IsToStream() || !TryRest())))
            {
                return;
            }

            if (_isClosed && !HasMore())
            {
                break;
            }
        }

        if (_isClosed && !HasMore())
        {
            _emptied.TrySetResult();
        }
    }

    // False at the end of a turn's share. Empty is what the loop has caught up with.
    private bool TryDrain(out bool isEmpty)
    {
        _isDraining = true;
        try
        {
            return DrainSome(out isEmpty);
        }
        finally
        {
            _sender.Flush();
            _isDraining = false;
        }
    }

    private bool DrainSome(out bool isEmpty)
    {
        isEmpty = false;
        int left = MostPerTurn;
        while (true)
        {
            var chunk = _head;
            var next = chunk.Next;
            var (end, messages) = chunk.Published;
            if (end > _read)
            {
                int size = _sender.Send(chunk.Array.AsSpan(_read, end - _read), messages - _readMessages, out int sent);
                bool all = size == end - _read;
                _read += size;
                _readMessages += sent;
                left -= size;
                CountTaken(sent, size);
                if (!all)
                {
                    _isHeldUp = true;
                    return true;
                }

                if (left <= 0)
                {
                    return false;
                }
            }
            else if (next is not null)
            {
                // It was published to its end before it got a successor.
                _head = next;
                _read = _readMessages = 0;
                _pool.Give(chunk);
            }
            else
            {
                isEmpty = true;
                return true;
            }
        }
    }

    private void CountTaken(int messages, int size)
    {
        Volatile.Write(ref _taken, _taken + messages);
        Volatile.Write(ref _takenBytes, _takenBytes + size);
        if (messages > 0)
        {
            Interlocked.MemoryBarrier();
            if ((!Waiters.IsEmpty || GotRoom is not null) && Waiting <= _mostMessages / 2 && HasRoom)
            {
                WakeWriters();
            }
        }
    }

    private void WakeWriters()
    {
        Interlocked.MemoryBarrier();
        if (!Waiters.IsEmpty)
        {
            Waiters.WakeOne();
        }

        GotRoom?.Invoke();
    }

    // Messages come close together: the loop looks again by the clock, or when much has come, and is not told of each.
    private bool IsToStream()
    {
        if (_isStreaming)
        {
            return true;
        }

        if (Gate is null ? !IsFlushedOften() : _singles < FlushesToStream)
        {
            return false;
        }

        _isStreaming = true;
        _takenAtTick = _taken;
        StartWindow();
        return true;
    }

    // While messages stream it begins anew each time it has passed.
    private void StartWindow()
    {
        if (_window is null)
        {
            _window = _loop.StartTimer(StreamWindow, Tick);
        }
        else
        {
            _window.Restart(StreamWindow);
        }
    }

    private bool IsFlushedOften()
    {
        if (_flushTick != _loop.LastTick)
        {
            _flushTick = _loop.LastTick;
            _flushes = 0;
        }

        return ++_flushes >= FlushesToStream;
    }

    private void Tick()
    {
        if (Volatile.Read(ref _written) - _takenAtTick >= FlushesToStream)
        {
            _takenAtTick = _taken;
            StartWindow();
        }
        else
        {
            _isStreaming = false;
            _flushes = _singles = 0;
        }

        Flush();
    }

    // A writer stores its message and then looks whether the loop is awake, without a barrier between: that is paid for here.
    // True when something came meanwhile.
    private bool TryRest()
    {
        _isAwake = false;
        Interlocked.MemoryBarrierProcessWide();
        return _isAwake = HasMore();
    }

    private bool HasMore() => _head.Published.End != _read || _head.Next is not null;
}
