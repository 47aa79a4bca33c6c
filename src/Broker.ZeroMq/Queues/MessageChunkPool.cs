using System.Buffers;
using Broker.Transport;

namespace Broker.ZeroMq;

/// <summary>
/// The pool of chunks for all sockets of a context. The chunk that was returned last is taken first. Thread-safe. One
/// call serves many messages, so the cost of its lock does not matter.
/// </summary>
/// <param name="budget">Counts the memory of the chunks in use; null for no limit.</param>
internal sealed class MessageChunkPool(MemoryBudget? budget = null)
{
    /// <summary>The size of a chunk for a peer that sends little.</summary>
    internal const int Small = 4 * 1024;

    /// <summary>
    /// The size of a chunk for a peer that sends much: what an event loop reads at once, and some bytes for heads. So a
    /// chunk takes a message of 64 KiB, and needs no array of twice this size.
    /// </summary>
    internal const int Large = (64 * 1024) + 256;

    private const int Unpooled = -1;

    private static readonly int[] Capacities = [Small, Large];

    // A queue of large messages that has reached the default bound of 16 MiB is filled again when it is half empty. So
    // 128 large chunks come back before they are taken again. Were fewer kept, such a queue would allocate each second
    // chunk, and the collector would copy the chunks that wait.
    private static readonly int[] MostKept = [64, 128];

    private readonly Lock _gate = new();
    private readonly MessageChunk?[] _free = new MessageChunk?[Capacities.Length];
    private readonly int[] _kept = new int[Capacities.Length];
    private long _outstanding;

    /// <summary>The size of all chunks that are in use now, in bytes. May be read on any thread.</summary>
    internal long Outstanding => Interlocked.Read(ref _outstanding);

    /// <summary>How many bytes may wait in one queue now; see <see cref="MemoryBudget.PerPeerLimit"/>.</summary>
    internal long Share => budget?.PerPeerLimit ?? long.MaxValue;

    /// <summary>Takes an empty chunk of at least this size.</summary>
    internal MessageChunk Take(int size)
    {
        int sizeClass = size <= Small ? 0 : size <= Large ? 1 : Unpooled;
        if (sizeClass == Unpooled)
        {
            return TakeUnpooled(size);
        }

        MessageChunk? chunk;
        lock (_gate)
        {
            _outstanding += Capacities[sizeClass];
            chunk = _free[sizeClass];
            if (chunk is not null)
            {
                _free[sizeClass] = chunk.Next;
                _kept[sizeClass]--;
                chunk.Next = null;
            }
        }

        budget?.Add(Capacities[sizeClass]);
        return chunk ?? new MessageChunk(GC.AllocateUninitializedArray<byte>(Capacities[sizeClass]), sizeClass);
    }

    // The chunk is for one message that is larger than a read.
    private MessageChunk TakeUnpooled(int size)
    {
        byte[] array = ArrayPool<byte>.Shared.Rent(size);
        lock (_gate)
        {
            _outstanding += array.Length;
        }

        budget?.Add(array.Length);
        return new MessageChunk(array, Unpooled);
    }

    internal void Give(MessageChunk chunk)
    {
        budget?.Add(-chunk.Array.Length);
        lock (_gate)
        {
            _outstanding -= chunk.Array.Length;
            if (chunk.SizeClass != Unpooled)
            {
                if (_kept[chunk.SizeClass] < MostKept[chunk.SizeClass])
                {
                    chunk.Reset();
                    chunk.Next = _free[chunk.SizeClass];
                    _free[chunk.SizeClass] = chunk;
                    _kept[chunk.SizeClass]++;
                }

                return;
            }
        }

        ArrayPool<byte>.Shared.Return(chunk.Array);
    }
}
