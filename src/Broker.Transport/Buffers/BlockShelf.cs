namespace Broker.Transport.Buffers;

/// <summary>
/// Free blocks by size, last in first out, within a bound. What was not touched since the last <see cref="Trim"/> was kept for
/// nothing and goes then, so that a burst's memory is the collector's some seconds after it. Not thread-safe.
/// </summary>
internal sealed class BlockShelf(long mostBytes, long leastBytes)
{
    private readonly Block?[] _heads = new Block?[BlockSizes.Count];
    private readonly int[] _counts = new int[BlockSizes.Count];
    private readonly int[] _fewest = new int[BlockSizes.Count];
    private long _bytes;

    /// <summary>Whether there is something that <see cref="Trim"/> may let go one day.</summary>
    internal bool HasSurplus => _bytes > leastBytes;

    /// <summary>Whether more is kept than the bound allows.</summary>
    internal bool IsOverfull => _bytes > mostBytes;

    internal long Bytes => _bytes;

    internal Block? Take(int sizeClass)
    {
        Block? block = _heads[sizeClass];
        if (block is not null)
        {
            _heads[sizeClass] = block.Next;
            int left = --_counts[sizeClass];
            _fewest[sizeClass] = Math.Min(_fewest[sizeClass], left);
            _bytes -= block.Array.Length;
            block.Next = null;
        }

        return block;
    }

    internal void Give(Block block)
    {
        int sizeClass = block.SizeClass;
        block.Next = _heads[sizeClass];
        _heads[sizeClass] = block;
        _counts[sizeClass]++;
        _bytes += block.Array.Length;
    }

    /// <summary>Lets go what nobody needed since the last call, down to the least. The blocks are the collector's.</summary>
    internal void Trim()
    {
        // The large ones first: they are the most memory for the fewest uses.
        for (int sizeClass = BlockSizes.Count - 1; sizeClass >= 0; sizeClass--)
        {
            for (int idle = _fewest[sizeClass]; idle > 0 && HasSurplus; idle--)
            {
                Take(sizeClass);
            }

            _fewest[sizeClass] = _counts[sizeClass];
        }
    }
}
