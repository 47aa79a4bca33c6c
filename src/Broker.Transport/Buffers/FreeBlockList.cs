namespace Broker.Transport.Buffers;

/// <summary>
/// Free blocks by size, last in first out, within a bound. What was not touched since the last pass of <see cref="TakeUnused"/> was kept for
/// nothing, and a third of it goes then: a burst's memory is the system's some minutes after it at most. Not thread-safe.
/// </summary>
internal sealed class FreeBlockList(long mostBytes, long leastBytes)
{
    // Of what a pass finds: whoever comes back within a minute finds some of it still, and does not have to have the system find it all pages anew.
    private const int TrimDivisor = 3;

    private const long SliceBytes = 8 * 1024 * 1024;

    private readonly Block?[] _heads = new Block?[BlockSizes.Count];
    private readonly int[] _counts = new int[BlockSizes.Count];
    private readonly int[] _fewest = new int[BlockSizes.Count];
    private bool _isWithinPass;
    private long _bytes;

    /// <summary>Whether there is something that <see cref="TakeUnused"/> may let go one day.</summary>
    internal bool HasSurplus => _bytes > leastBytes;

    /// <summary>Whether more is kept than the bound allows.</summary>
    internal bool IsOverfull => _bytes > mostBytes;

    internal long Bytes => _bytes;

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
    /// Takes out a third of what nobody needed since the last whole pass, as a chain to be discarded: no more at a time than takes a fraction of a millisecond.
    /// With the last of it, or none, a pass is whole.
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
        // The large ones first: they are the most memory for the fewest uses.
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
