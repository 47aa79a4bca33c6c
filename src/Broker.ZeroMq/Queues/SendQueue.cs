using System.Runtime.CompilerServices;
using Broker.Transport;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.Queues;

/// <summary>
/// Messages on their way from whatever threads send to the event loop: written one by one into pooled chunks, and given to the peers
/// many at a time.
/// </summary>
/// <remarks>
/// <para>
/// Writers exclude each other by a gate that costs a single one next to nothing, and the reader not at all: it reads what they have
/// published. Peers, with what each of them has room for, are the business of the reader. That is the loop; where the sender has a gate of its
/// own, it is also the writer who finds that enough is waiting, or that the loop sleeps, and that nobody else is at it.
/// </para>
/// <para>
/// It is full when so many messages or bytes are waiting for the loop, and while no peer has room. A message larger than the
/// bound passes alone.
/// </para>
/// </remarks>
internal sealed partial class SendQueue
{
    private readonly BiasedGate _writers = new();
    private readonly ChunkPool _pool;
    private readonly EventLoop _loop;
    private readonly IBatchSender _sender;
    private readonly int _mostMessages;
    private readonly long _mostBytes;

    // The writers'. What they know of the loop's progress may be old, and is looked up when it is not enough.
    private MessageChunk _tail;
    private long _written;
    private long _writtenBytes;
    private long _allowed;
    private long _allowedBytes;
    private long _nudgeAt;
    private long _nudgeAtBytes;

    // The loop's progress.
    private long _taken;
    private long _takenBytes;
    private volatile bool _isHeldUp;
    private volatile bool _isClosed;

    /// <param name="pool">Where chunks come from.</param>
    /// <param name="loop">The loop that sends.</param>
    /// <param name="sender">What it does with the messages.</param>
    /// <param name="mostMessages">How many messages may wait for the loop; 0 for no such bound.</param>
    /// <param name="mostBytes">How many bytes may.</param>
    /// <param name="isOpen">False when there is no room before the first <see cref="Resume"/>.</param>
    internal SendQueue(ChunkPool pool, EventLoop loop, IBatchSender sender, int mostMessages, long mostBytes, bool isOpen)
    {
        _pool = pool;
        _loop = loop;
        _sender = sender;
        _mostMessages = mostMessages == 0 ? int.MaxValue : mostMessages;
        _mostBytes = mostBytes;
        _isHeldUp = !isOpen;
        _allowed = _mostMessages;
        _allowedBytes = _mostBytes;
        _head = _tail = pool.Take(ChunkPool.Small);
        _flush = Flush;
        PlanNudge();
    }

    /// <summary>What guards the sender, so that writers may send by themselves; null when it is the loop's alone.</summary>
    internal Lock? Gate { private get; init; }

    /// <summary>Whether each message is sent at once: where none follows before an answer, there is nothing to wait for.</summary>
    internal bool IsPrompt { private get; init; }

    /// <summary>How many times a writer looks for room before it lets its thread sleep.</summary>
    internal int Attempts { private get; init; }

    /// <summary>What a time to wait goes by. The kernel sleeps by its own; for tests, which count how often it is read.</summary>
    internal TimeProvider Clock { private get; init; } = TimeProvider.System;

    /// <summary>The calls that wait for room.</summary>
    internal WaitList Waiters { get; } = new();

    /// <summary>Whether an attempt to send would find room for a small message. Any thread, a moment's truth.</summary>
    internal bool HasRoom =>
        _isClosed || (!_isHeldUp
            && Volatile.Read(ref _written) - Volatile.Read(ref _taken) < _mostMessages
            && Volatile.Read(ref _writtenBytes) - Volatile.Read(ref _takenBytes) < Math.Min(_mostBytes, _pool.Share));

    // A message larger than the bound passes alone.
    private bool HasRoomFor(int size)
    {
        long waiting = Volatile.Read(ref _writtenBytes) - Volatile.Read(ref _takenBytes);
        return _isClosed || (HasRoom && (waiting + size <= Math.Min(_mostBytes, _pool.Share) || waiting == 0));
    }

    /// <summary>Messages that wait for the loop. Any thread, a moment's truth.</summary>
    internal long Waiting => Volatile.Read(ref _written) - Volatile.Read(ref _taken);

    /// <summary>Told on the loop when there may be room again after there was none.</summary>
    internal Action? GotRoom { get; set; }

    /// <summary>Copies a message in if there is room. Any thread; never waits for a peer.</summary>
    // For each message, and optimized from the first on: on a single processor the runtime would run it as it came for seconds.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    internal SendOutcome TryAdd<TMessage>(in TMessage message)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        int size = message.EncodedSize;
        var bias = _writers.Enter();
        bool extends = _tail.Room < size;
        if (_isHeldUp || _isClosed
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
            // Out of memory, or memory of the application's that cannot be read: others can go on.
            _writers.Exit(bias);
            throw;
        }

        chunk.End += size;
        chunk.Messages++;
        chunk.Publish();
        _written++;
        _writtenBytes += size;
        bool nudges = _written >= _nudgeAt || _writtenBytes >= _nudgeAtBytes;
        if (nudges)
        {
            PlanNudge();
        }

        _writers.Exit(bias);
        if (!_isAwake || nudges)
        {
            GetSent(nudges);
        }

        if (!Waiters.IsEmpty && HasRoom)
        {
            Waiters.WakeOne();
        }

        return SendOutcome.Sent;
    }

    // Under the gate. The loop may have taken more than was known.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool FindRoom(int size)
    {
        long taken = Volatile.Read(ref _taken);
        long takenBytes = Volatile.Read(ref _takenBytes);
        _allowed = taken + _mostMessages;
        _allowedBytes = takenBytes + _mostBytes;
        return _written < _allowed && (_writtenBytes + size <= _allowedBytes || _writtenBytes == takenBytes);
    }

    // Under the gate. From 32 KiB on a send pays for waking who sends; and at half of the bound, so that it need not be reached.
    private void PlanNudge()
    {
        _nudgeAt = _written + Math.Max(1, _mostMessages / 2);
        _nudgeAtBytes = _writtenBytes + Math.Min(WorthSending, _mostBytes / 2);
    }

    // Under the gate. Where memory is short no more is taken of it than the share; what the loop takes makes room again.
    private bool MayExtend(int size)
    {
        long waiting = _writtenBytes - Volatile.Read(ref _takenBytes);
        return waiting == 0 || waiting + size <= _pool.Share;
    }

    // Under the gate.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private MessageChunk Extend(int size)
    {
        // Nothing may be in the first, small one, when all that is sent is large.
        var chunk = _pool.Take(Math.Max(size, ChunkPool.Large));
        _tail.Next = chunk;
        return _tail = chunk;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private SendOutcome Refuse()
    {
        if (_isClosed)
        {
            return SendOutcome.Closed;
        }

        if (!_isHeldUp)
        {
            Nudge();
        }

        return SendOutcome.Full;
    }
}
