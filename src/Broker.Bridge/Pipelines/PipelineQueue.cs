using System.Runtime.CompilerServices;

namespace Broker.Bridge;

/// <summary>
/// A queue of messages, copied one after the other into pooled memory, with a position up to which they have been sent.
/// Used on one loop.
/// </summary>
internal sealed class PipelineQueue(PipelineMemoryPool pool)
{
    private const int RecordHeader = 2 * sizeof(int);

    private PipelineMemoryPool.Chunk? _head;
    private PipelineMemoryPool.Chunk? _tail;
    private int _headAt;
    private PipelineMemoryPool.Chunk? _unsent;
    private int _unsentAt;

    /// <summary>The number of messages.</summary>
    internal int Count { get; private set; }

    /// <summary>How many messages from the front have been sent.</summary>
    internal int Sent { get; private set; }

    /// <summary>The total size of the messages in bytes.</summary>
    internal long Bytes { get; private set; }

    internal bool IsEmpty => Count == 0;

    /// <summary>Adds a message at the end.</summary>
    /// <param name="body">The message, which is copied.</param>
    /// <param name="shape">The properties of the message.</param>
    internal void Add(ReadOnlySpan<byte> body, MessageShape shape) => Add(default, body, shape);

    /// <summary>Adds a message from two parts, which become one message.</summary>
    internal void Add(ReadOnlySpan<byte> start, ReadOnlySpan<byte> body, MessageShape shape)
    {
        int length = start.Length + body.Length;
        int size = RecordHeader + length;
        PipelineMemoryPool.Chunk? tail = _tail;
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

    /// <summary>Returns the first message, which is valid until it is removed. The queue must not be empty.</summary>
    internal ReadOnlySpan<byte> Peek(out MessageShape shape)
    {
        SkipEnd(ref _head, ref _headAt);
        return Read(_head!, _headAt, out shape);
    }

    /// <summary>
    /// Returns the first message that has not been sent, which is valid until it is removed. The queue must contain an
    /// unsent message.
    /// </summary>
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

    /// <summary>Marks the message that <see cref="PeekUnsent"/> returns as sent.</summary>
    internal void MarkSent()
    {
        int length = PeekUnsent(out _).Length;
        _unsentAt += RecordHeader + length;
        Sent++;
    }

    /// <summary>Marks all messages except the first <paramref name="sent"/> as not sent.</summary>
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

    /// <summary>Removes all messages.</summary>
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
        PipelineMemoryPool.Chunk head = _head!;
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
    private PipelineMemoryPool.Chunk Extend(int size)
    {
        PipelineMemoryPool.Chunk chunk = pool.Rent(size);
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

    private static void SkipEnd(ref PipelineMemoryPool.Chunk? chunk, ref int at)
    {
        if (at == chunk!.End)
        {
            chunk = chunk.Next;
            at = 0;
        }
    }

    private static ReadOnlySpan<byte> Read(PipelineMemoryPool.Chunk chunk, int at, out MessageShape shape)
    {
        int length = Unsafe.ReadUnaligned<int>(ref chunk.Bytes[at]);
        shape = MessageShape.Unpack(Unsafe.ReadUnaligned<int>(ref chunk.Bytes[at + sizeof(int)]));
        return chunk.Bytes.AsSpan(at + RecordHeader, length);
    }
}
