namespace Broker.Transport;

/// <summary>The free blocks of one loop, last in first out. Only the thread of this loop uses the pool.</summary>
internal sealed class LoopBlockPool(SharedBlockPool sharedBlocks)
{
    private const long MostBytes = 8 * 1024 * 1024;
    private const long LeastBytes = 512 * 1024;
    private const int ChainBytes = 256 * 1024;
    private const int LongestChain = 16;

    private readonly FreeBlockList _free = new(MostBytes, LeastBytes);
    private readonly MemoryBudget _budget = sharedBlocks.Budget;
    private long _outstanding;
    private long _reported;
    private long _reportAbove = sharedBlocks.Budget.Granularity;
    private long _reportBelow = -sharedBlocks.Budget.Granularity;
    private bool _trims;

    /// <summary>Called on the loop when there are blocks that <see cref="Trim"/> should free later.</summary>
    internal Action? TrimLater { get; set; }

    /// <summary>
    /// The size of all blocks that were rented from this pool, minus the size of all blocks that were returned to it.
    /// Other loops may have rented the returned blocks, so the value can be negative. The sum over a group's loops and
    /// its shared pool is the memory of write buffers and queues. Any thread. The value may change at any time.
    /// </summary>
    internal long RentedBytes => Volatile.Read(ref _outstanding);

    /// <summary>The size of the free blocks.</summary>
    internal long FreeBytes => _free.Bytes;

    /// <summary>Returns an empty block of at least <paramref name="size"/> bytes, which the caller owns.</summary>
    internal Block Rent(int size)
    {
        int sizeClass = BlockSizes.ClassFor(size);
        Block block = sizeClass == BlockSizes.Unpooled
            ? new Block(sharedBlocks, size, BlockSizes.Unpooled)
            : _free.Pop(sizeClass) ?? Refill(sizeClass);
        Count(block.Array.Length);
        block.Start = block.End = 0;
        return block;
    }

    internal void Return(Block block)
    {
        if (block.Pool != sharedBlocks)
        {
            block.Pool.Return(block);
            return;
        }

        Count(-block.Array.Length);
        if (block.SizeClass == BlockSizes.Unpooled)
        {
            // The garbage collector frees this block. Keeping it would save little: the pages of the next block of such
            // a size would be new anyway.
            return;
        }

        _free.Push(block);
        if (!_trims && _free.HasSurplus)
        {
            _trims = true;
            TrimLater?.Invoke();
        }

        if (_free.IsOverfull || (sharedBlocks.IsWanted(block.SizeClass) && HasSpareChain(block.SizeClass)))
        {
            Spill(block.SizeClass);
        }
    }

    /// <summary>
    /// Frees some blocks that were not used lately. Unless the result is <see cref="TrimResult.Done"/>, the caller must
    /// call this method again later. On the loop.
    /// </summary>
    internal TrimResult Trim()
    {
        if (sharedBlocks.Discarder.IsUnderWay)
        {
            return TrimResult.Interrupted;
        }

        sharedBlocks.Discarder.Begin(_free.TakeUnused(out TrimResult outcome));
        _trims = outcome != TrimResult.Done;
        return outcome;
    }

    private void Count(int bytes)
    {
        long outstanding = _outstanding + bytes;
        Volatile.Write(ref _outstanding, outstanding);
        if (outstanding > _reportAbove || outstanding < _reportBelow)
        {
            Report(outstanding);
        }
    }

    // The budget gets the changes in steps, so that loops do not access the shared counter for each block.
    private void Report(long outstanding)
    {
        long change = outstanding - _reported;
        _reported = outstanding;
        _reportAbove = outstanding + _budget.Granularity;
        _reportBelow = outstanding - _budget.Granularity;
        _budget.Add(change);
    }

    // Large blocks are moved one by one, so that the other loops find some of them in the shared pool.
    private static int ChainOf(int sizeClass) => Math.Clamp(ChainBytes / BlockSizes.Capacity(sizeClass), 1, LongestChain);

    private bool HasSpareChain(int sizeClass) => _free.CountOf(sizeClass) >= 2 * ChainOf(sizeClass);

    private Block Refill(int sizeClass)
    {
        Block? first = sharedBlocks.RentChain(sizeClass, ChainOf(sizeClass));
        if (first is null)
        {
            return new Block(sharedBlocks, BlockSizes.Capacity(sizeClass), sizeClass);
        }

        for (Block? at = first.Next; at is not null;)
        {
            Block next = at;
            at = at.Next;
            _free.Push(next);
        }

        first.Next = null;
        return first;
    }

    private void Spill(int sizeClass)
    {
        Block? first = null;
        for (int left = ChainOf(sizeClass); left > 0 && _free.Pop(sizeClass) is { } block; left--)
        {
            block.Next = first;
            first = block;
        }

        if (first is not null)
        {
            sharedBlocks.ReturnChain(first);
        }
    }
}
