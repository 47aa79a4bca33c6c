using System.Buffers;

namespace Broker.Bridge;

/// <summary>
/// A pool of memory chunks for queued messages. Chunks of the standard size are reused; larger chunks come from the
/// shared array pool. Used on one loop.
/// </summary>
internal sealed class PipelineMemoryPool
{
    /// <summary>The standard size of a chunk, in bytes.</summary>
    internal const int ChunkSize = 32 * 1024;

    // The pool keeps at most 4 MiB after a burst.
    private const int MostKept = 128;

    private Chunk? _free;
    private int _kept;

    /// <summary>The size of all rented chunks in bytes.</summary>
    internal long Outstanding { get; private set; }

    internal Chunk Rent(int size)
    {
        Chunk? chunk = _free;
        if (size > ChunkSize)
        {
            chunk = new Chunk(ArrayPool<byte>.Shared.Rent(size));
        }
        else if (chunk is null)
        {
            chunk = new Chunk(GC.AllocateUninitializedArray<byte>(ChunkSize));
        }
        else
        {
            _free = chunk.Next;
            _kept--;
            chunk.Next = null;
        }

        Outstanding += chunk.Bytes.Length;
        return chunk;
    }

    internal void Return(Chunk chunk)
    {
        Outstanding -= chunk.Bytes.Length;
        chunk.Next = null;
        chunk.End = 0;
        if (chunk.Bytes.Length != ChunkSize)
        {
            ArrayPool<byte>.Shared.Return(chunk.Bytes);
        }
        else if (_kept < MostKept)
        {
            chunk.Next = _free;
            _free = chunk;
            _kept++;
        }
    }

    internal sealed class Chunk(byte[] bytes)
    {
        internal byte[] Bytes { get; } = bytes;

        /// <summary>The offset at which the next message is written.</summary>
        internal int End { get; set; }

        internal Chunk? Next { get; set; }
    }
}
