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
/// which reads only messages that a writer has published. The reader is the loop, which knows the peers and how much
/// each peer can take. If the sender has a lock of its own, a writer can act as the reader too: when many messages are
/// waiting or the loop sleeps, and no other thread is sending.
/// </para>
/// <para>
/// The queue is full if its bound of messages or bytes is reached, and while no peer can take messages. An empty queue
/// accepts one message that is larger than the bound in bytes.
/// </para>
/// </remarks>
internal sealed partial class SendQueue
{
    // When this many bytes are waiting, a send is worth waking the thread that sends.
    private const int WorthSending = 32 * 1024;

    private readonly BiasedGate _writers = new();
    private readonly MessageChunkPool _pool;
    private readonly EventLoop _loop;
    private readonly SendQueueCounters _counters;
    private readonly RoomSignal _room;
    private readonly SendScheduler _scheduler;

    // The writers' gate guards these fields.
    private MessageChunk _tail;
    private NotificationPoint _notifyAt;

    /// <param name="pool">The pool of the chunks.</param>
    /// <param name="loop">The loop that sends.</param>
    /// <param name="sender">The object that passes the messages to the peers.</param>
    /// <param name="mostMessages">The most messages that may wait for the loop; 0 for no bound.</param>
    /// <param name="mostBytes">The most bytes that may wait for the loop.</param>
    /// <param name="isOpen">False if there is no room before the first call of <see cref="Resume"/>.</param>
    /// <param name="gate">The sender's lock, under which writers may send too; null if only the loop may send.</param>
    /// <param name="isPrompt">
    /// Whether each message is sent at once. Set it if no further message follows before a reply: then collecting
    /// messages gains nothing.
    /// </param>
    internal SendQueue(
        MessageChunkPool pool,
        EventLoop loop,
        IBatchSender sender,
        int mostMessages,
        long mostBytes,
        bool isOpen,
        Lock? gate = null,
        bool isPrompt = false)
    {
        _pool = pool;
        _loop = loop;
        _tail = pool.Take(MessageChunkPool.Small);
        _counters = new SendQueueCounters(pool, mostMessages, mostBytes) { IsPaused = !isOpen };
        _room = new RoomSignal(_counters);
        var reader = new SendQueueReader(_tail, pool, sender, _counters, _room);
        _scheduler = new SendScheduler(loop, _counters, reader, _room, gate, isPrompt);
        _notifyAt = _counters.NextNotification(WorthSending);
    }

    /// <summary>How many times a writer polls for room before it blocks its thread.</summary>
    internal int Attempts { private get; init; }

    /// <summary>
    /// The clock for timeouts. Tests replace it to count how often it is read; waits in the kernel use the kernel's
    /// clock.
    /// </summary>
    internal TimeProvider Clock { private get; init; } = TimeProvider.System;

    /// <summary>The calls that wait for room.</summary>
    internal WaitList Waiters => _room.Waiters;

    /// <summary>Whether there is room for a small message at this moment. May be read on any thread.</summary>
    internal bool HasRoom => _counters.HasRoom;

    /// <summary>The number of messages that wait for the loop at this moment. May be read on any thread.</summary>
    internal long Waiting => _counters.Waiting;

    /// <summary>Called on the loop when there may be room again after the queue was full.</summary>
    internal Action? OnRoom
    {
        get => _room.OnRoom;
        set => _room.OnRoom = value;
    }

    /// <summary>
    /// Copies a message into the queue if there is room. Any thread may call this method; it never waits for a peer.
    /// </summary>
    // The method runs for each message, so it is optimized before its first call. On a single processor, the runtime
    // would run the unoptimized code for seconds.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    internal EnqueueResult Enqueue<TMessage>(in TMessage message)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        int size = message.EncodedSize;
        BiasedGate.Bias? bias = _writers.Enter();
        bool extends = _tail.Room < size;
        if (!_counters.MayWrite(size) || (extends && !_counters.MayExtend(size)))
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
            // The cause is a lack of memory, or memory of the application that cannot be read. Leave the gate, so that
            // other writers can continue.
            _writers.Exit(bias);
            throw;
        }

        chunk.End += size;
        chunk.Messages++;
        chunk.Publish();
        _counters.AddWritten(size);
        bool notifies = _counters.Reaches(_notifyAt);
        if (notifies)
        {
            _notifyAt = _counters.NextNotification(WorthSending);
        }

        _writers.Exit(bias);
        if (!_scheduler.IsAwake || notifies)
        {
            _scheduler.SendOrNotify(notifies);
        }

        if (!Waiters.IsEmpty && HasRoom)
        {
            Waiters.WakeOne();
        }

        return EnqueueResult.Sent;
    }

    /// <summary>
    /// Sends waiting messages now, on this thread or on the loop. For a caller that is about to wait for a reply. May
    /// be called on any thread.
    /// </summary>
    internal void FlushNow() => _scheduler.FlushNow();

    /// <summary>Called on the loop when a peer can take messages again.</summary>
    internal void Resume() => _scheduler.Resume();

    /// <summary>Called on the loop when no peer can take messages any more.</summary>
    internal void Pause() => _counters.IsPaused = true;

    /// <summary>
    /// Accepts no more messages and ends all waits. The loop still sends the queued messages. May be called on any
    /// thread.
    /// </summary>
    /// <returns>A task that completes when the loop has taken every message.</returns>
    internal Task SealAsync()
    {
        BiasedGate.Bias? bias = _writers.Enter();
        _counters.Close();
        _writers.Exit(bias);
        _room.WakeAll();
        _scheduler.NotifyLoop();
        return _scheduler.Emptied;
    }

    /// <summary>
    /// Drops the messages that the loop has not taken. Call this method after <see cref="SealAsync"/>, on the loop or
    /// after the loop has ended.
    /// </summary>
    /// <returns>The number of dropped messages.</returns>
    internal long Drop()
    {
        _tail = new MessageChunk([], sizeClass: -1);
        return _scheduler.Drop(_tail);
    }

    // Called while the thread holds _writers.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private MessageChunk Extend(int size)
    {
        // The first chunk is small. It stays empty if the first message is larger.
        MessageChunk chunk = _pool.Take(Math.Max(size, MessageChunkPool.Large));
        _tail.Next = chunk;
        return _tail = chunk;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private EnqueueResult Refuse()
    {
        if (_counters.IsClosed)
        {
            return EnqueueResult.Closed;
        }

        if (!_counters.IsPaused)
        {
            _scheduler.NotifyLoop();
        }

        return EnqueueResult.Full;
    }
}
