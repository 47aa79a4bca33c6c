namespace Broker.ZeroMq;

/// <summary>
/// Carries received messages from the event loop to any number of receiving threads. The loop copies many messages at a
/// time into pooled chunks. Receivers take single messages, fairly among the peers.
/// </summary>
/// <remarks>
/// <para>
/// The loop copies whole messages of a peer with one copy, under one lock. One chunk of each peer belongs to the
/// receivers. They take messages from these chunks round-robin, under a gate that costs a single receiver almost
/// nothing. They take the loop's lock only once for each chunk.
/// </para>
/// <para>
/// The queue is bounded in messages for each peer and in bytes of memory for all peers. Before it copies messages, the
/// loop asks how much room there is. Messages that do not fit stay in the peer's receive buffer, and the peer is paused
/// until there is room again. A message counts until the last message of its chunk is taken, so a chunk contains at
/// most a quarter of the high-water mark.
/// </para>
/// </remarks>
internal sealed partial class ReceiveQueue
{
    private const int ChunksPerMark = 4;

    private readonly Lock _gate = new();
    private readonly BiasedGate _receivers = new();
    private readonly MessageChunkPool _pool;
    private readonly List<ReceiveSource> _paused = [];
    private readonly int _mostMessages;
    private readonly int _mostPerChunk;
    private readonly long _mostBytes;
    private readonly bool _conflates;
    private Action? _added;
    private ReceiveSource? _firstArrival;
    private ReceiveSource? _lastArrival;
    private long _bytes;

    // The next source in the ring. The ring contains all sources with a chunk that belongs to the receivers.
    private ReceiveSource? _current;
    private volatile bool _hasArrivals;
    private volatile bool _isClosed;

    /// <param name="pool">The pool of the chunks.</param>
    /// <param name="mostMessages">The most messages of one peer that may wait; 0 for no bound.</param>
    /// <param name="mostBytes">
    /// The most memory that the waiting messages may use. A larger message is accepted if nothing else is waiting.
    /// </param>
    /// <param name="conflates">Whether only the newest message of each peer is kept. There is then always room.</param>
    internal ReceiveQueue(MessageChunkPool pool, int mostMessages, long mostBytes, bool conflates = false)
    {
        _conflates = conflates;
        _pool = pool;
        _mostMessages = mostMessages == 0 ? int.MaxValue : mostMessages;
        _mostPerChunk = Math.Max(1, _mostMessages / ChunksPerMark);
        _mostBytes = mostBytes;
    }

    /// <summary>
    /// Sets the callback that runs after messages were added, on the thread that added them. There is at most one:
    /// returns false if a callback is already set.
    /// </summary>
    internal bool TryWatch(Action added) => Interlocked.CompareExchange(ref _added, added, null) is null;

    internal void Unwatch() => Volatile.Write(ref _added, null);

    /// <summary>
    /// The clock for timeouts. Tests replace it to count how often it is read; waits in the kernel use the kernel's
    /// clock.
    /// </summary>
    internal TimeProvider Clock { private get; init; } = TimeProvider.System;

    /// <summary>Whether there is a message at this moment. May be read on any thread.</summary>
    internal bool HasMessages => _hasArrivals || Volatile.Read(ref _current) is not null;

    /// <summary>The memory of the waiting messages, in bytes. May be read on any thread.</summary>
    internal long BufferedBytes
    {
        get
        {
            lock (_gate)
            {
                return _bytes;
            }
        }
    }

    /// <summary>The number of peers that are paused until there is room. May be read on any thread.</summary>
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

    // If memory is short, the queue may use only its share. No notification is needed when the shortage ends, because
    // receivers that take messages make room anyway.
    private long MostBytes => Math.Min(_mostBytes, _pool.Share);

    /// <summary>Returns how many messages and bytes of a peer may be added now. Called on the peer's loop.</summary>
    /// <param name="source">The peer.</param>
    /// <param name="bytes">The number of bytes that may be added. The last message may exceed this number.</param>
    /// <returns>The number of messages that may be added.</returns>
    internal int Room(ReceiveSource source, out long bytes)
    {
        lock (_gate)
        {
            // If the queue is empty, one message may exceed the bound.
            bool takesAll = _isClosed || _conflates;
            bytes = takesAll ? long.MaxValue : Math.Max(MostBytes - _bytes, _bytes == 0 ? 1 : 0);
            return takesAll ? int.MaxValue : bytes == 0 ? 0 : _mostMessages - source.Messages;
        }
    }

    /// <summary>
    /// Copies whole messages of one peer, no more than <see cref="Room"/> has allowed. Called on the peer's loop.
    /// </summary>
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
    /// Marks the peer as paused, so that it is resumed when there is room. Returns false, without a mark, if there is
    /// room again. Called on the peer's loop.
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

    /// <summary>
    /// Removes the mark of a paused peer that has disconnected, so that the peer is not resumed. Its messages can still
    /// be received.
    /// </summary>
    internal void RemovePaused(ReceiveSource source)
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

    // Called while the thread holds _gate.
    private void AddSome(ReceiveSource source, ref ReadOnlySpan<byte> encoded, ref int messages)
    {
        MessageChunk? chunk = source.Last;
        int count = Math.Min(messages, _mostPerChunk - (chunk?.Messages ?? 0));
        int size = count == messages ? encoded.Length : EncodedMessage.Measure(encoded, count);
        if (chunk is null || count <= 0 || size > chunk.Room)
        {
            count = Math.Min(messages, _mostPerChunk);
            size = count == messages ? encoded.Length : EncodedMessage.Measure(encoded, count);
            if (size > MessageChunkPool.Large)
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

    // Reduces the count to the messages that fit into a large chunk, but at least to one message, and returns their
    // size.
    private static int FitOne(ReadOnlySpan<byte> rest, ref int count)
    {
        int most = count;
        int size = EncodedMessage.Measure(rest);
        count = 1;
        while (count < most)
        {
            int next = EncodedMessage.Measure(rest[size..]);
            if (size + next > MessageChunkPool.Large)
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
        // A source without a waiting chunk gets a chunk of the needed size. A source whose messages pile up gets large
        // chunks.
        int wanted = source.First is null ? size : Math.Max(size, MessageChunkPool.Large);
        MessageChunk chunk = _pool.Take(wanted);
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
