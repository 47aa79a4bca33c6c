using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.Queues;

/// <summary>
/// Received messages on their way from the event loop to whatever threads receive: many at a time into pooled chunks on the one side,
/// one at a time out of them on the other, fairly among peers.
/// </summary>
/// <remarks>
/// <para>
/// The loop copies whole messages of a peer with one copy and one lock. Receivers have one chunk of each peer and take messages from
/// them in turn under a gate that costs a single receiver next to nothing; they come to the lock once for each chunk.
/// </para>
/// <para>
/// It is bounded in messages for each peer and in bytes of memory for all. The loop asks for the room first and leaves the rest with the peer; when there is room
/// again the peer is resumed. Messages count until the last one of their chunk is
/// taken; a chunk holds a quarter of the mark at most.
/// </para>
/// </remarks>
internal sealed partial class ReceiveQueue
{
    private const int ChunksPerMark = 4;

    private readonly Lock _gate = new();
    private readonly BiasedGate _receivers = new();
    private readonly ChunkPool _pool;
    private readonly List<ReceiveSource> _paused = [];
    private readonly int _mostMessages;
    private readonly int _mostPerChunk;
    private readonly long _mostBytes;
    private readonly bool _conflates;
    private Action? _added;
    private ReceiveSource? _firstArrival;
    private ReceiveSource? _lastArrival;
    private long _bytes;

    // Where the receivers go on; the ring of sources with a chunk that they have.
    private ReceiveSource? _current;
    private volatile bool _hasArrivals;
    private volatile bool _isClosed;

    /// <param name="pool">Where chunks come from.</param>
    /// <param name="mostMessages">How many messages of one peer may wait; 0 for no such bound.</param>
    /// <param name="mostBytes">How much memory all that waits may take. A message larger than that passes alone.</param>
    /// <param name="conflates">Whether of each peer's messages only the newest waits; then there is always room.</param>
    internal ReceiveQueue(ChunkPool pool, int mostMessages, long mostBytes, bool conflates = false)
    {
        _conflates = conflates;
        _pool = pool;
        _mostMessages = mostMessages == 0 ? int.MaxValue : mostMessages;
        _mostPerChunk = Math.Max(1, _mostMessages / ChunksPerMark);
        _mostBytes = mostBytes;
    }

    /// <summary>
    /// Lets somebody be told, on the thread that adds, after something was added. One at a time: false when there is one already.
    /// </summary>
    internal bool TryWatch(Action added) => Interlocked.CompareExchange(ref _added, added, null) is null;

    internal void Unwatch() => Volatile.Write(ref _added, null);

    /// <summary>What a time to wait goes by. The kernel sleeps by its own; for tests, which count how often it is read.</summary>
    internal TimeProvider Clock { private get; init; } = TimeProvider.System;

    /// <summary>Whether an attempt to take would find something now. Any thread, a moment's truth.</summary>
    internal bool HasMessages => _hasArrivals || Volatile.Read(ref _current) is not null;

    /// <summary>The memory that waits. Any thread.</summary>
    internal long HeldBytes
    {
        get
        {
            lock (_gate)
            {
                return _bytes;
            }
        }
    }

    /// <summary>Peers that were left something and wait to be resumed. Any thread.</summary>
    internal int PausedSources
    {
        get
        {
            lock (_gate)
            {
                return _paused.Count;
            }
        }
    }

    // Where memory is short it holds its share of it. It gets out of that by itself, when what waits was received, and so nobody is told.
    private long MostBytes => Math.Min(_mostBytes, _pool.Share);

    /// <summary>How much may be added of a peer now. On its loop.</summary>
    /// <param name="source">The peer.</param>
    /// <param name="bytes">How many bytes; the last message may go beyond it.</param>
    /// <returns>How many messages.</returns>
    internal int Room(ReceiveSource source, out long bytes)
    {
        lock (_gate)
        {
            // Where nothing waits, a message passes that is larger than the bound.
            bool takesAll = _isClosed || _conflates;
            bytes = takesAll ? long.MaxValue : Math.Max(MostBytes - _bytes, _bytes == 0 ? 1 : 0);
            return takesAll ? int.MaxValue : bytes == 0 ? 0 : _mostMessages - source.Messages;
        }
    }

    /// <summary>Copies whole messages of one peer, within what <see cref="Room"/> said. On its loop.</summary>
    internal void Add(ReceiveSource source, ReadOnlySpan<byte> encoded, int messages)
    {
        lock (_gate)
        {
            if (_isClosed)
            {
                return;
            }

            if (_conflates)
            {
                encoded = encoded[EncodedMessage.Measure(encoded, messages - 1)..];
                messages = 1;
                DropWaiting(source);
            }

            while (messages > 0)
            {
                AddSome(source, ref encoded, ref messages);
            }

            List(source);
        }

        Interlocked.MemoryBarrier();
        if (!Waiters.IsEmpty)
        {
            Waiters.WakeOne();
        }

        Volatile.Read(ref _added)?.Invoke();
    }

    /// <summary>
    /// Notes that the peer was left something, so that it is resumed when there is room. False when there is by now.
    /// On its loop.
    /// </summary>
    internal bool TryPause(ReceiveSource source)
    {
        lock (_gate)
        {
            if (_isClosed || (_bytes <= MostBytes / 2 && source.Messages <= _mostMessages / 2))
            {
                return false;
            }

            if (!source.IsPaused)
            {
                source.IsPaused = true;
                _paused.Add(source);
            }

            return true;
        }
    }

    /// <summary>The peer is gone: it is not to be resumed. What it has sent is still received.</summary>
    internal void Forget(ReceiveSource source)
    {
        lock (_gate)
        {
            if (source.IsPaused)
            {
                source.IsPaused = false;
                _paused.Remove(source);
            }
        }
    }

    // Under the lock.
    private void AddSome(ReceiveSource source, ref ReadOnlySpan<byte> encoded, ref int messages)
    {
        var chunk = source.Last;
        int count = Math.Min(messages, _mostPerChunk - (chunk?.Messages ?? 0));
        int size = count == messages ? encoded.Length : EncodedMessage.Measure(encoded, count);
        if (chunk is null || count <= 0 || size > chunk.Room)
        {
            count = Math.Min(messages, _mostPerChunk);
            size = count == messages ? encoded.Length : EncodedMessage.Measure(encoded, count);
            if (size > ChunkPool.Large)
            {
                size = FitOne(encoded, ref count);
            }

            chunk = Append(source, size);
        }

        encoded[..size].CopyTo(chunk.Array.AsSpan(chunk.End));
        encoded = encoded[size..];
        chunk.End += size;
        chunk.Messages += count;
        source.Messages += count;
        messages -= count;
    }

    // As many messages as a large chunk holds, or a single one that it does not.
    private static int FitOne(ReadOnlySpan<byte> rest, ref int count)
    {
        int most = count;
        int size = EncodedMessage.Measure(rest);
        count = 1;
        while (count < most)
        {
            int next = EncodedMessage.Measure(rest[size..]);
            if (size + next > ChunkPool.Large)
            {
                break;
            }

            size += next;
            count++;
        }

        return size;
    }

    private MessageChunk Append(ReceiveSource source, int size)
    {
        // What comes in little gets little, until it waits.
        int wanted = source.First is null ? size : Math.Max(size, ChunkPool.Large);
        var chunk = _pool.Take(wanted);
        _bytes += chunk.Array.Length;
        if (source.Last is null)
        {
            source.First = chunk;
        }
        else
        {
            source.Last.Next = chunk;
        }

        return source.Last = chunk;
    }

    private void List(ReceiveSource source)
    {
        if (source.IsListed)
        {
            return;
        }

        source.IsListed = true;
        if (_lastArrival is null)
        {
            _firstArrival = source;
        }
        else
        {
            _lastArrival.NextArrival = source;
        }

        _lastArrival = source;
        _hasArrivals = true;
    }
}
