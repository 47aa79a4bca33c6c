namespace Broker.Transport;

/// <summary>
/// Free blocks by size, last in first out, up to a limit. Each pass of <see cref="TakeUnused"/> frees a third of the
/// blocks that were not used since the previous pass. So the memory of a burst returns to the system after some minutes
/// at most. Not thread-safe.
/// </summary>
internal sealed class FreeBlockList(long mostBytes, long leastBytes)
{
    // A pass frees only this part of the unused blocks. So a burst within the next minute still finds some of the
    // blocks, and the system does not have to map all pages again.
    private const int TrimDivisor = 3;

    private const long SliceBytes = 8 * 1024 * 1024;

    private readonly Block?[] _heads = new Block?[BlockSizes.Count];
    private readonly int[] _counts = new int[BlockSizes.Count];
    private readonly int[] _fewest = new int[BlockSizes.Count];
    private bool _isWithinPass;
    private long _bytes;

    /// <summary>Whether there are blocks that <see cref="TakeUnused"/> may free now or later.</summary>
    internal bool HasSurplus => _bytes > leastBytes;

    /// <summary>Whether the free blocks exceed the limit.</summary>
    internal bool IsOverfull => _bytes > mostBytes;

    internal long Bytes => _bytes;

    internal int CountOf(int sizeClass) => _counts[sizeClass];

    internal Block? Pop(int sizeClass)
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

    internal void Push(Block block)
    {
        int sizeClass = block.SizeClass;
        block.Next = _heads[sizeClass];
        _heads[sizeClass] = block;
        _counts[sizeClass]++;
        _bytes += block.Array.Length;
    }

    /// <summary>
    /// Takes out a third of the blocks that were not used since the last complete pass, as a chain. One call takes out
    /// only as many blocks as it can in a fraction of a millisecond. A pass is complete when all blocks of this third
    /// were taken.
    /// </summary>
    internal Block? TakeUnused(out TrimResult outcome)
    {
        if (!_isWithinPass)
        {
            _isWithinPass = true;
            foreach (ref int fewest in _fewest.AsSpan())
            {
                fewest = (fewest + TrimDivisor - 1) / TrimDivisor;
            }
        }

        Block? idle = null;
        long left = SliceBytes;
        // Large blocks are taken first, because they free the most memory and are used the least.
        for (int sizeClass = BlockSizes.Count - 1; sizeClass >= 0; sizeClass--)
        {
            while (_fewest[sizeClass] > 0 && HasSurplus)
            {
                if (left <= 0)
                {
                    outcome = TrimResult.Interrupted;
                    return idle;
                }

                _fewest[sizeClass]--;
                Block block = Pop(sizeClass)!;
                left -= block.Array.Length;
                block.Next = idle;
                idle = block;
            }
        }

        _isWithinPass = false;
        _counts.CopyTo(_fewest.AsSpan());
        outcome = HasSurplus ? TrimResult.Waiting : TrimResult.Done;
        return idle;
    }
}
