using System.Runtime.CompilerServices;

namespace Broker.ZeroMq.Queues;

/// <summary>
/// Pooled memory with whole messages, as they are on the wire, one behind the other. It has one owner at a time; in the queue of
/// messages to send one thread may write behind what it has published while another one reads what is.
/// </summary>
internal sealed class MessageChunk(byte[] array, int sizeClass)
{
    private long _published;
    private volatile MessageChunk? _next;

    internal byte[] Array { get; } = array;

    /// <summary>The pool's index of this size, or -1 when it is not kept.</summary>
    internal int SizeClass { get; } = sizeClass;

    /// <summary>Where the first message begins that was not taken.</summary>
    internal int Position { get; set; }

    /// <summary>Where the last message ends.</summary>
    internal int End { get; set; }

    /// <summary>How many messages there are up to <see cref="End"/>, taken ones included.</summary>
    internal int Messages { get; set; }

    /// <summary>How much more may be written. A chunk made for one large message is not filled up with others, since it is not kept.</summary>
    internal int Room
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => SizeClass < 0 ? 0 : Array.Length - End;
    }

    /// <summary>What follows; written after all of this one was published.</summary>
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

    /// <summary>The end and the number of messages up to it, as the writer last said. Any thread.</summary>
    internal (int End, int Messages) Published
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            long both = Volatile.Read(ref _published);
            return ((int)both, (int)(both >> 32));
        }
    }

    /// <summary>Lets readers see all up to <see cref="End"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Publish() => Volatile.Write(ref _published, ((long)Messages << 32) | (uint)End);

    internal void Reset()
    {
        Position = End = Messages = 0;
        Next = null;
        _published = 0;
    }
}
