using System.Runtime.CompilerServices;

namespace Broker.ZeroMq;

/// <summary>
/// Pooled memory with whole encoded messages, one after the other. A chunk has one owner at a time. In a <see
/// cref="SendQueue"/>, one thread may append while another reads the published messages.
/// </summary>
internal sealed class MessageChunk(byte[] array, int sizeClass)
{
    private long _published;
    private volatile MessageChunk? _next;

    internal byte[] Array { get; } = array;

    /// <summary>The index of this size in the pool, or -1 if the pool does not keep the chunk.</summary>
    internal int SizeClass { get; } = sizeClass;

    /// <summary>The offset of the first message that has not been taken.</summary>
    internal int Position { get; set; }

    /// <summary>The offset of the end of the last message.</summary>
    internal int End { get; set; }

    /// <summary>The number of messages up to <see cref="End"/>, including those that were taken.</summary>
    internal int Messages { get; set; }

    /// <summary>
    /// How many bytes may be appended. For a chunk that was made for one large message it is always 0, because the pool
    /// does not keep such a chunk.
    /// </summary>
    internal int Room
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => SizeClass < 0 ? 0 : Array.Length - End;
    }

    /// <summary>The next chunk. It is set after all messages of this chunk were published.</summary>
    internal MessageChunk? Next
    {
        get => _next;
        set => _next = value;
    }

    internal ReadOnlySpan<byte> Unread
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Array.AsSpan(Position, End - Position);
    }

    /// <summary>
    /// The end of the published messages and their number, from the writer's last call of <see cref="Publish"/>. Any
    /// thread may read this property.
    /// </summary>
    internal (int End, int Messages) Published
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            long both = Volatile.Read(ref _published);
            return ((int)both, (int)(both >> 32));
        }
    }

    /// <summary>Lets readers see all messages up to <see cref="End"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Publish() => Volatile.Write(ref _published, ((long)Messages << 32) | (uint)End);

    internal void Reset()
    {
        Position = End = Messages = 0;
        Next = null;
        _published = 0;
    }
}
