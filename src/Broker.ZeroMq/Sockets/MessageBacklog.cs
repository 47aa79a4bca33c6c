using System.Buffers;
using Broker.Transport;

namespace Broker.ZeroMq.Loops;

/// <summary>
/// Encoded messages that wait for a connection, oldest first, in rented arrays of whole messages. Used on the socket's
/// loop.
/// </summary>
/// <param name="budget">The budget that the arrays are counted in.</param>
internal sealed class MessageBacklog(MemoryBudget budget) : IUnsentMessages
{
    private const int Smallest = 1024;
    private const int Usual = 64 * 1024;

    private readonly Queue<(byte[] Array, int Length)> _full = new();
    private byte[]? _last;
    private int _length;

    internal int Count { get; private set; }

    internal long Bytes { get; private set; }

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
            buffer.Write(chunk.Array.AsSpan(0, chunk.Length));
            Return(chunk.Array);
        }

        if (_length > 0)
        {
            buffer.Write(_last.AsSpan(0, _length));
        }

        Clear();
    }

    /// <summary>Appends all messages to another backlog and empties this one.</summary>
    internal void MoveTo(MessageBacklog other)
    {
        while (_full.TryDequeue(out (byte[] Array, int Length) chunk))
        {
            other.Copy(chunk.Array.AsSpan(0, chunk.Length));
            Return(chunk.Array);
        }

        if (_length > 0)
        {
            other.Copy(_last.AsSpan(0, _length));
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

        _length = 0;
        Count = 0;
        Bytes = 0;
    }

    private void Return(byte[] array)
    {
        ArrayPool<byte>.Shared.Return(array);
        budget.Add(-array.Length);
    }
}
