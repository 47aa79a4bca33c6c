namespace Broker.Transport.Buffers;

/// <summary>One loop's own blocks, last in first out. Used by that loop's thread only.</summary>
internal sealed class LoopBlockPool(SharedBlockPool depot)
{
    private const long MostBytes = 8 * 1024 * 1024;
    private const long LeastBytes = 512 * 1024;
    private const int ChainBytes = 256 * 1024;
    private const int LongestChain = 16;

    private readonly FreeBlockList _free = new(MostBytes, LeastBytes);
    private readonly MemoryBudget _budget = depot.Budget;
    private long _outstanding;
    private long _reported;
    private long _reportAbove = depot.Budget.Granularity;
    private long _reportBelow = -depot.Budget.Granularity;
    private bool _trims;

    /// <summary>Asked for, on the loop, when there is something to <see cref="Trim"/> after a while.</summary>
    internal Action? TrimLater { get; set; }

    /// <summary>
    /// The size of all blocks taken here less that of those given here, by whichever loop they were taken: the sum over a
    /// group's loops and its depot is what stages and queues hold. Any thread, a moment's truth.
    /// </summary>
    internal long RentedBytes => Volatile.Read(ref _outstanding);

    /// <summary>The size of the free blocks.</summary>
    internal long FreeBytes => _free.Bytes;

    /// <summary>A block of at least <paramref name="size"/> bytes, empty, owned by the caller.</summary>
    internal Block Rent(int size)
    {
        int sizeClass = BlockSizes.ClassFor(size);
        Block block = sizeClass == BlockSizes.Unpooled
            ? new Block(depot, size, BlockSizes.Unpooled)
            : _free.Pop(sizeClass) ?? Refill(sizeClass);
        Count(block.Array.Length);
        block.Start = block.End = 0;
        return block;
    }

    internal void Return(Block block)
    {
        if (block.Pool != depot)
        {
            block.Pool.Return(block);
            return;
        }

        Count(-block.Array.Length);
        if (block.SizeClass == BlockSizes.Unpooled)
        {
            // The collector's: the next of its size would have the system find all of its pages anew.
            return;
        }

        _free.Push(block);
        if (!_trims && _free.HasSurplus)
        {
            _trims = true;
            TrimLater?.Invoke();
        }

        if (_free.IsOverfull)
        {
            Spill(block.SizeClass);
        }
    }

    /// <summary>Lets go some of what was kept for nothing. Unless it is done one has to come again. On the loop.</summary>
    internal TrimResult Trim()
    {
        if (depot.Discarder.IsUnderWay)
        {
            return TrimResult.Interrupted;
        }

        depot.Discarder.Begin(_free.TakeUnused(out TrimResult outcome));
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

    // Loops do not meet for each block.
    private void Report(long outstanding)
    {
        long change = outstanding - _reported;
        _reported = outstanding;
        _reportAbove = outstanding + _budget.Granularity;
        _reportBelow = outstanding - _budget.Granularity;
        _budget.Add(change);
    }

    // Large ones one by one: what another loop has given back there is somebody else's to take too.
    private static int ChainOf(int sizeClass) => Math.Clamp(ChainBytes / BlockSizes.Capacity(sizeClass), 1, LongestChain);

    private Block Refill(int sizeClass)
    {
        Block? first = depot.RentChain(sizeClass, ChainOf(sizeClass));
        if (first is null)
        {
            return new Block(depot, BlockSizes.Capacity(sizeClass), sizeClass);
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
            depot.ReturnChain(first);
        }
    }
}
