using System.Runtime.CompilerServices;

namespace Broker.Bridge.Pipelines;

/// <summary>
/// Messages in order, copied one behind the other into pooled memory, with a place up to which they have been sent. On one loop.
/// </summary>
internal sealed class MessageQueue(ChunkPool pool)
{
    private const int RecordHeader = 2 * sizeof(int);

    private ChunkPool.Chunk? _head;
    private ChunkPool.Chunk? _tail;
    private int _headAt;
    private ChunkPool.Chunk? _unsent;
    private int _unsentAt;

    /// <summary>How many messages there are.</summary>
    internal int Count { get; private set; }

    /// <summary>How many of them have been sent, from the front on.</summary>
    internal int Sent { get; private set; }

    /// <summary>The bytes of the messages.</summary>
    internal long Bytes { get; private set; }

    internal bool IsEmpty => Count == 0;

    /// <summary>Puts a message behind the others.</summary>
    /// <param name="body">Copied.</param>
    /// <param name="shape">What it is.</param>
    internal void Add(ReadOnlySpan<byte> body, MessageShape shape) => Add(default, body, shape);

    /// <summary>The same for a message in two pieces, which it is not any more then.</summary>
    internal void Add(ReadOnlySpan<byte> start, ReadOnlySpan<byte> body, MessageShape shape)
    {
        int length = start.Length + body.Length;
        int size = RecordHeader + length;
        ChunkPool.Chunk? tail = _tail;
        if (tail is null || tail.Bytes.Length - tail.End < size)
        {
            tail = Extend(size);
        }

        Span<byte> record = tail.Bytes.AsSpan(tail.End, size);
        Unsafe.WriteUnaligned(ref record[0], length);
        Unsafe.WriteUnaligned(ref record[sizeof(int)], shape.Pack());
        start.CopyTo(record[RecordHeader..]);
        body.CopyTo(record[(RecordHeader + start.Length)..]);
        tail.End += size;
        Count++;
        Bytes += length;
    }

    /// <summary>The first message. There must be one; borrowed until it is removed.</summary>
    internal ReadOnlySpan<byte> Peek(out MessageShape shape)
    {
        SkipEnd(ref _head, ref _headAt);
        return Read(_head!, _headAt, out shape);
    }

    /// <summary>The first message that has not been sent. There must be one; borrowed until it is removed.</summary>
    internal ReadOnlySpan<byte> PeekUnsent(out MessageShape shape)
    {
        if (_unsent is null)
        {
            _unsent = _head;
            _unsentAt = _headAt;
        }

        SkipEnd(ref _unsent, ref _unsentAt);
        return Read(_unsent!, _unsentAt, out shape);
    }

    /// <summary>The message that <see cref="PeekUnsent"/> gave has been sent.</summary>
    internal void MarkSent()
    {
        int length = PeekUnsent(out _).Length;
        _unsentAt += RecordHeader + length;
        Sent++;
    }

    /// <summary>All but the first so many count as not sent.</summary>
    internal void Rewind(int sent)
    {
        _unsent = null;
        Sent = 0;
        while (Sent < sent)
        {
            MarkSent();
        }
    }

    /// <summary>Removes the first message.</summary>
    internal void RemoveFirst()
    {
        int length = Peek(out _).Length;
        bool unsentToo = Sent == 0;
        _headAt += RecordHeader + length;
        Bytes -= length;
        Count--;
        if (unsentToo)
        {
            _unsent = null;
        }
        else
        {
            Sent--;
        }

        if (_headAt == _head!.End)
        {
            ReleaseHead();
        }
    }

    /// <summary>Removes all.</summary>
    internal void Clear()
    {
        while (_head is { } chunk)
        {
            _head = chunk.Next;
            pool.Return(chunk);
        }

        _tail = _unsent = null;
        _headAt = _unsentAt = Count = Sent = 0;
        Bytes = 0;
    }

    private void ReleaseHead()
    {
        ChunkPool.Chunk head = _head!;
        if (_unsent == head)
        {
            _unsent = null;
        }

        _head = head.Next;
        _headAt = 0;
        if (_head is null)
        {
            _tail = null;
        }

        pool.Return(head);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private ChunkPool.Chunk Extend(int size)
    {
        ChunkPool.Chunk chunk = pool.Rent(size);
        if (_tail is null)
        {
            _head = chunk;
            _headAt = 0;
        }
        else
        {
            _tail.Next = chunk;
        }

        return _tail = chunk;
    }

    private static void SkipEnd(ref ChunkPool.Chunk? chunk, ref int at)
    {
        if (at == chunk!.End)
        {
            chunk = chunk.Next;
            at = 0;
        }
    }

    private static ReadOnlySpan<byte> Read(ChunkPool.Chunk chunk, int at, out MessageShape shape)
    {
        int length = Unsafe.ReadUnaligned<int>(ref chunk.Bytes[at]);
        shape = MessageShape.Unpack(Unsafe.ReadUnaligned<int>(ref chunk.Bytes[at + sizeof(int)]));
        return chunk.Bytes.AsSpan(at + RecordHeader, length);
    }
}
