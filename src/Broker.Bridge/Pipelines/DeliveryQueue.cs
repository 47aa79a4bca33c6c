using System.Buffers.Binary;

namespace Broker.Bridge;

/// <summary>
/// The queue of a consumer's messages for PUSH, each with its acknowledgement subject. Used on the connection's loop.
/// </summary>
internal sealed class DeliveryQueue(PipelineMemoryPool pool)
{
    private const int LengthSize = 2;

    private readonly PipelineQueue _queue = new(pool);

    internal int Count => _queue.Count;

    internal long Bytes => _queue.Bytes;

    internal bool IsEmpty => _queue.IsEmpty;

    internal void Add(ReadOnlySpan<byte> replyTo, ReadOnlySpan<byte> body, MessageShape shape)
    {
        Span<byte> start = stackalloc byte[LengthSize + replyTo.Length];
        BinaryPrimitives.WriteUInt16LittleEndian(start, (ushort)replyTo.Length);
        replyTo.CopyTo(start[LengthSize..]);
        _queue.Add(start, body, shape);
    }

    /// <summary>Returns the body of the first message, which is valid until a message is added or removed.</summary>
    internal ReadOnlySpan<byte> Peek(out MessageShape shape, out ReadOnlySpan<byte> replyTo)
        => Split(_queue.Peek(out shape), out replyTo);

    internal void RemoveFirst() => _queue.RemoveFirst();

    internal void Clear() => _queue.Clear();

    /// <summary>
    /// Reports progress for each queued message, so that the stream does not deliver the message again to other
    /// egresses.
    /// </summary>
    internal void ReportProgress<TConnection>(ref TConnection connection)
        where TConnection : struct, IPipelineConnection
    {
        _queue.Rewind(0);
        while (_queue.Sent < _queue.Count)
        {
            Split(_queue.PeekUnsent(out _), out ReadOnlySpan<byte> replyTo);
            connection.Publish(replyTo, default, "+WPI"u8);
            _queue.MarkSent();
        }
    }

    private static ReadOnlySpan<byte> Split(ReadOnlySpan<byte> kept, out ReadOnlySpan<byte> replyTo)
    {
        int length = BinaryPrimitives.ReadUInt16LittleEndian(kept);
        replyTo = kept.Slice(LengthSize, length);
        return kept[(LengthSize + length)..];
    }
}
