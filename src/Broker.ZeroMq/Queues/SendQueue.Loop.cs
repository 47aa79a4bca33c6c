using System.Runtime.CompilerServices;
using Broker.Transport;

namespace Broker.ZeroMq;

// This part is the reader's side. Either the loop or a writer takes the role of the reader.
internal sealed partial class SendQueue
{
    private const int WorthSending = 32 * 1024;

    // The most bytes that one iteration sends before other work on the loop runs.
    private const int MostPerIteration = 512 * 1024;

    // A flush for a single message costs more than the message. After this many flushes within one tick of the clock,
    // the queue collects messages for the length of the window.
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

    // The gate guards this flag if the sender has a gate.
    private bool _isDraining;

    // The first flag is true while the loop will look at the queue without a notification. The second is 1 while a
    // notification is pending.
    private volatile bool _isAwake;
    private int _isPosted;

    /// <summary>
    /// Makes the loop look at the queue now, if messages are waiting. A caller that is about to wait for a reply uses
    /// it. Any thread may call it.
    /// </summary>
    internal void FlushNow()
    {
        if (_isAwake && Waiting > 0 && !TrySendHere())
        {
            NotifyLoop();
        }
    }

    /// <summary>A peer can take messages again. Called on the loop.</summary>
    internal void Resume()
    {
        if (_isPaused)
        {
            _isPaused = false;
            _isAwake = true;
            Flush();
            WakeWriters();
        }
    }

    /// <summary>No peer can take messages. Called on the loop.</summary>
    internal void Pause() => _isPaused = true;

    /// <summary>
    /// Accepts no more messages and ends all waits. The loop still sends the messages that are queued. Any thread may
    /// call it.
    /// </summary>
    /// <returns>A task that completes when the loop has taken every message.</returns>
    internal Task SealAsync()
    {
        var bias = _writers.Enter();
        _isClosed = true;
        _writers.Exit(bias);
        Waiters.WakeAll();
        OnRoom?.Invoke();
        NotifyLoop();
        return _emptied.Task;
    }

    /// <summary>
    /// Drops the messages that the loop has not taken. It must follow <see cref="SealAsync"/>, on the loop or after the
    /// loop has ended.
    /// </summary>
    /// <returns>The number of dropped messages.</returns>
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
    private void NotifyLoop()
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

        // The loop does not wait for a writer that is sending. The writer sees this flag when it leaves the gate, or
        // the loop enters the gate itself.
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
        while (!_isPaused && !_isDraining)
        {
            if (!TryDrain(out bool isEmpty))
            {
                // More messages are waiting, but other work on the loop runs first.
                if (Interlocked.Exchange(ref _isPosted, 1) == 0)
                {
                    _loop.Post(_flush);
                }

                return;
            }

            if (!isEmpty || (!_isClosed && (StartsStreaming() || !TryGoToSleep())))
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

    // Returns false when one iteration has sent its share. isEmpty is true if no message is left.
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
        int left = MostPerIteration;
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
                    _isPaused = true;
                    return true;
                }

                if (left <= 0)
                {
                    return false;
                }
            }
            else if (next is not null)
            {
                // A writer publishes the whole chunk before it appends the next one.
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
            if ((!Waiters.IsEmpty || OnRoom is not null) && Waiting <= _mostMessages / 2 && HasRoom)
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

        OnRoom?.Invoke();
    }

    // Messages follow each other closely. The loop then looks at the queue when the window ends, or when much is
    // waiting, and no longer after each message.
    private bool StartsStreaming()
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

    // The window starts again at its end for as long as messages stream.
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

    // A writer stores its message and then reads _isAwake without a barrier between the two. The
    // process-wide barrier here makes up for the missing one. Returns true if a message arrived meanwhile.
    private bool TryGoToSleep()
    {
        _isAwake = false;
        Interlocked.MemoryBarrierProcessWide();
        return _isAwake = HasMore();
    }

    private bool HasMore() => _head.Published.End != _read || _head.Next is not null;
}
