using System.Runtime.CompilerServices;
using Broker.Transport;

namespace Broker.ZeroMq;

/// <summary>
/// Carries messages from any number of sending threads to the event loop. Writers copy single messages into pooled
/// chunks, and the reader passes many messages at a time to the peers.
/// </summary>
/// <remarks>
/// <para>
/// Writers exclude each other by a gate that costs a single writer almost nothing. They do not exclude the reader,
/// which only reads what they have published. The reader knows the peers and how much each of them can take. The reader
/// is the loop. If the sender has a gate of its own, a writer also acts as the reader when enough is waiting, or when
/// the loop sleeps, provided that no other thread is sending.
/// </para>
/// <para>
/// The queue is full if its bound of messages or bytes is reached, and while no peer can take messages. A message that
/// is larger than the bound is accepted if the queue is empty.
/// </para>
/// </remarks>
internal sealed partial class SendQueue
{
    private readonly BiasedGate _writers = new();
    private readonly MessageChunkPool _pool;
    private readonly EventLoop _loop;
    private readonly IBatchSender _sender;
    private readonly int _mostMessages;
    private readonly long _mostBytes;

    // These fields belong to the writers. Their copy of the loop's progress may be old; a writer reads the current
    // progress when the copy leaves no room.
    private MessageChunk _tail;
    private long _written;
    private long _writtenBytes;
    private long _allowed;
    private long _allowedBytes;
    private long _notifyAt;
    private long _notifyAtBytes;

    // These fields are the loop's progress.
    private long _taken;
    private long _takenBytes;
    private volatile bool _isPaused;
    private volatile bool _isClosed;

    /// <param name="pool">The pool of the chunks.</param>
    /// <param name="loop">The loop that sends.</param>
    /// <param name="sender">The object that passes the messages to the peers.</param>
    /// <param name="mostMessages">The most messages that may wait for the loop; 0 for no bound.</param>
    /// <param name="mostBytes">The most bytes that may wait for the loop.</param>
    /// <param name="isOpen">False if there is no room before the first call of <see cref="Resume"/>.</param>
    internal SendQueue(MessageChunkPool pool, EventLoop loop, IBatchSender sender, int mostMessages, long mostBytes, bool isOpen)
    {
        _pool = pool;
        _loop = loop;
        _sender = sender;
        _mostMessages = mostMessages == 0 ? int.MaxValue : mostMessages;
        _mostBytes = mostBytes;
        _isPaused = !isOpen;
        _allowed = _mostMessages;
        _allowedBytes = _mostBytes;
        _head = _tail = pool.Take(MessageChunkPool.Small);
        _flush = Flush;
        PlanNotification();
    }

    /// <summary>
    /// The lock of the sender, so that writers may send by themselves; null if only the loop may send.
    /// </summary>
    internal Lock? Gate { private get; init; }

    /// <summary>
    /// Whether each message is sent at once. It is set if no further message follows before a reply, so that waiting
    /// gains nothing.
    /// </summary>
    internal bool IsPrompt { private get; init; }

    /// <summary>How many times a writer looks for room before it blocks its thread.</summary>
    internal int Attempts { private get; init; }

    /// <summary>
    /// The clock for timeouts. Tests replace it to count how often it is read; the kernel's waits use its own clock.
    /// </summary>
    internal TimeProvider Clock { private get; init; } = TimeProvider.System;

    /// <summary>The calls that wait for room.</summary>
    internal WaitList Waiters { get; } = new();

    /// <summary>Whether there is room for a small message at this moment. Any thread may read it.</summary>
    internal bool HasRoom =>
        _isClosed || (!_isPaused
            && Volatile.Read(ref _written) - Volatile.Read(ref _taken) < _mostMessages
            && Volatile.Read(ref _writtenBytes) - Volatile.Read(ref _takenBytes) < Math.Min(_mostBytes, _pool.Share));

    // A message that is larger than the bound is accepted if nothing else is waiting.
    private bool HasRoomFor(int size)
    {
        long waiting = Volatile.Read(ref _writtenBytes) - Volatile.Read(ref _takenBytes);
        return _isClosed || (HasRoom && (waiting + size <= Math.Min(_mostBytes, _pool.Share) || waiting == 0));
    }

    /// <summary>The number of messages that wait for the loop at this moment. Any thread may read it.</summary>
    internal long Waiting => Volatile.Read(ref _written) - Volatile.Read(ref _taken);

    /// <summary>Called on the loop when there may be room again after the queue was full.</summary>
    internal Action? OnRoom { get; set; }

    /// <summary>
    /// Copies a message into the queue if there is room. Any thread may call it; it never waits for a peer.
    /// </summary>
    // The method runs for each message, so it is optimized before its first call. On a single processor, the runtime
    // would run the unoptimized code for seconds.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    internal EnqueueResult TryAdd<TMessage>(in TMessage message)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        int size = message.EncodedSize;
        var bias = _writers.Enter();
        bool extends = _tail.Room < size;
        if (_isPaused || _isClosed
            || ((_written >= _allowed || _writtenBytes + size > _allowedBytes) && !FindRoom(size))
            || (extends && !MayExtend(size)))
        {
            _writers.Exit(bias);
            return Refuse();
        }

        MessageChunk chunk;
        try
        {
            chunk = extends ? Extend(size) : _tail;

            message.Encode(chunk.Array.AsSpan(chunk.End, size));
        }
        catch
        {
            // The cause is a lack of memory, or memory of the application that cannot be read. Other writers can
            // continue.
            _writers.Exit(bias);
            throw;
        }

        chunk.End += size;
        chunk.Messages++;
        chunk.Publish();
        _written++;
        _writtenBytes += size;
        bool notifies = _written >= _notifyAt || _writtenBytes >= _notifyAtBytes;
        if (notifies)
        {
            PlanNotification();
        }

        _writers.Exit(bias);
        if (!_isAwake || notifies)
        {
            SendOrNotify(notifies);
        }

        if (!Waiters.IsEmpty && HasRoom)
        {
            Waiters.WakeOne();
        }

        return EnqueueResult.Sent;
    }

    // Called under the gate. The loop may have taken more messages than the writers knew.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool FindRoom(int size)
    {
        long taken = Volatile.Read(ref _taken);
        long takenBytes = Volatile.Read(ref _takenBytes);
        _allowed = taken + _mostMessages;
        _allowedBytes = takenBytes + _mostBytes;
        return _written < _allowed && (_writtenBytes + size <= _allowedBytes || _writtenBytes == takenBytes);
    }

    // Called under the gate. From 32 KiB on, a send is worth waking the thread that sends. The loop is also woken at
    // half of the bound, so that the queue does not fill up.
    private void PlanNotification()
    {
        _notifyAt = _written + Math.Max(1, _mostMessages / 2);
        _notifyAtBytes = _writtenBytes + Math.Min(WorthSending, _mostBytes / 2);
    }

    // Called under the gate. If memory is short, the queue grows only up to its share. Messages that the loop takes
    // make room again.
    private bool MayExtend(int size)
    {
        long waiting = _writtenBytes - Volatile.Read(ref _takenBytes);
        return waiting == 0 || waiting + size <= _pool.Share;
    }

    // Called under the gate.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private MessageChunk Extend(int size)
    {
        // The first, small chunk may be empty, if all messages are large.
        var chunk = _pool.Take(Math.Max(size, MessageChunkPool.Large));
        _tail.Next = chunk;
        return _tail = chunk;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private EnqueueResult Refuse()
    {
        if (_isClosed)
        {
            return EnqueueResult.Closed;
        }

        if (!_isPaused)
        {
            NotifyLoop();
        }

        return EnqueueResult.Full;
    }
}
