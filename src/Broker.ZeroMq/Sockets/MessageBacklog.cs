using System.Buffers;
using Broker.Transport;

namespace Broker.ZeroMq.Loops;

/// <summary>
/// Encoded messages that wait for a connection, oldest first. They are in rented arrays, each of which contains whole
/// messages. Used on the socket's loop.
/// </summary>
/// <param name="budget">The budget in which the arrays are counted.</param>
internal sealed class MessageBacklog(MemoryBudget budget) : IUnsentMessages
{
    private const int Smallest = 1024;
    private const int Usual = 64 * 1024;

    private readonly Queue<(byte[] Array, int Length)> _full = new();
    private byte[]? _last;
    private int _length;

    // How many bytes at the start of the oldest array belong to removed messages.
    private int _removed;

    internal int Count { get; private set; }

    internal long Bytes { get; private set; }

    /// <summary>Whether the oldest message was sent in part before its connection ended.</summary>
    internal bool IsFirstPartlySent { get; private set; }

    /// <summary>Returns space for a message of this size. <see cref="Commit"/> adds the message.</summary>
    internal Span<byte> Reserve(int size)
    {
        if (_last is null || _last.Length - _length < size)
        {
            if (_last is not null && _length > 0)
            {
                _full.Enqueue((_last, _length));
            }
            else if (_last is not null)
            {
                Return(_last);
            }

            _last = ArrayPool<byte>.Shared.Rent(Math.Max(size, Count == 0 ? Smallest : Usual));
            budget.Add(_last.Length);
            _length = 0;
        }

        return _last.AsSpan(_length);
    }

    internal void Commit(int size, int count = 1)
    {
        _length += size;
        Count += count;
        Bytes += size;
    }

    public void Add(ReadOnlySpan<byte> message) => Add(message, count: 1);

    public void AddPartlySent(ReadOnlySpan<byte> message)
    {
        IsFirstPartlySent = true;
        Add(message);
    }

    /// <summary>Removes the oldest message, which must exist, and returns its size.</summary>
    internal int RemoveFirst()
    {
        ReadOnlySpan<byte> oldest = _full.TryPeek(out (byte[] Array, int Length) chunk)
            ? chunk.Array.AsSpan(0, chunk.Length)
            : _last.AsSpan(0, _length);
        int size = EncodedMessage.Measure(oldest[_removed..]);
        _removed += size;
        Count--;
        Bytes -= size;
        IsFirstPartlySent = false;
        if (_removed == oldest.Length)
        {
            _removed = 0;
            if (_full.TryDequeue(out chunk))
            {
                Return(chunk.Array);
            }
            else
            {
                _length = 0;
            }
        }

        return size;
    }

    /// <summary>Copies several messages at once.</summary>
    internal void Add(ReadOnlySpan<byte> messages, int count)
    {
        messages.CopyTo(Reserve(messages.Length));
        Commit(messages.Length, count);
    }

    private void Copy(ReadOnlySpan<byte> messages) => Add(messages, count: 0);

    /// <summary>Writes all messages to a connection and empties the backlog.</summary>
    internal void MoveTo(LoopWriteBuffer buffer)
    {
        while (_full.TryDequeue(out (byte[] Array, int Length) chunk))
        {
            buffer.Write(Rest(chunk.Array, chunk.Length));
            Return(chunk.Array);
        }

        if (_length > 0)
        {
            buffer.Write(Rest(_last!, _length));
        }

        Clear();
    }

    /// <summary>Appends all messages to another backlog and empties this one.</summary>
    internal void MoveTo(MessageBacklog other)
    {
        while (_full.TryDequeue(out (byte[] Array, int Length) chunk))
        {
            other.Copy(Rest(chunk.Array, chunk.Length));
            Return(chunk.Array);
        }

        if (_length > 0)
        {
            other.Copy(Rest(_last!, _length));
        }

        other.Count += Count;
        Clear();
    }

    internal void Clear()
    {
        while (_full.TryDequeue(out (byte[] Array, int Length) chunk))
        {
            Return(chunk.Array);
        }

        if (_last is not null)
        {
            Return(_last);
            _last = null;
        }

        _length = _removed = 0;
        Count = 0;
        Bytes = 0;
        IsFirstPartlySent = false;
    }

    // Returns the messages in the array that were not removed. Only the first call skips removed messages, because only
    // the oldest array has any.
    private ReadOnlySpan<byte> Rest(byte[] array, int length)
    {
        int removed = _removed;
        _removed = 0;
        return array.AsSpan(removed, length - removed);
    }

    private void Return(byte[] array)
    {
        ArrayPool<byte>.Shared.Return(array);
        budget.Add(-array.Length);
    }
}
