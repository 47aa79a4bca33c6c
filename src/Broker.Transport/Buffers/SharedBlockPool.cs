namespace Broker.Transport.Buffers;

/// <summary>
/// The blocks that the loops of one group share. A loop that fills blocks for connections of another loop
/// would otherwise allocate for ever while the other one throws away; loops exchange them here in chains,
/// so that the lock is taken once per chain. Safe for any thread.
/// </summary>
internal sealed class SharedBlockPool(MemoryBudget? budget = null)
{
    // What is let go while it is in use is made anew, and until a collection comes there is both: a burst's blocks stay until they are trimmed. But
    // where the heap is small, as in a container, others need it too.
    private const long MostBytes = 1024 * 1024 * 1024;
    private const int PartOfHeap = 16;
    private const long LeastBytes = 512 * 1024;

    private readonly Lock _gate = new();
    private readonly FreeBlockList _free = new(Math.Min(MostBytes, GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / PartOfHeap), LeastBytes);
    private long _outstanding;
    private bool _trims;

    /// <summary>Asked for, by any thread, when there is something to <see cref="Trim"/> after a while.</summary>
    internal Action? TrimLater { get; set; }

    /// <summary>What all blocks that are not free are counted by.</summary>
    internal MemoryBudget Budget { get; } = budget ?? new MemoryBudget(0, loops: 1);

    /// <summary>How what the depot and the loops' pools let go becomes the system's.</summary>
    internal BlockDiscarder Discarder { get; } = new();

    /// <summary>
    /// The size of all blocks that were taken here and by the loops' pools, less what came back here: its part of what is held.
    /// </summary>
    internal long RentedBytes => Volatile.Read(ref _outstanding);

    /// <summary>The size of the free blocks.</summary>
    internal long FreeBytes
    {
        get
        {
            lock (_gate)
            {
                return _free.Bytes;
            }
        }
    }

    /// <summary>Takes up to <paramref name="most"/> blocks of a size as a chain; null when none is kept.</summary>
    internal Block? RentChain(int sizeClass, int most)
    {
        lock (_gate)
        {
            Block? first = null;
            for (int taken = 0; taken < most && _free.Pop(sizeClass) is { } block; taken++)
            {
                block.Next = first;
                first = block;
            }

            return first;
        }
    }

    internal void ReturnChain(Block first)
    {
        bool asks;
        Block? at = first;
        lock (_gate)
        {
            while (at is not null && !_free.IsOverfull)
            {
                Block next = at;
                at = at.Next;
                _free.Push(next);
            }

            asks = !_trims && _free.HasSurplus;
            _trims |= asks;
        }

        Discarder.Begin(at);
        if (asks)
        {
            TrimLater?.Invoke();
        }
    }

    internal Block Rent(int size)
    {
        int sizeClass = BlockSizes.ClassFor(size);
        Block? block = sizeClass == BlockSizes.Unpooled ? new Block(this, size, BlockSizes.Unpooled) : RentChain(sizeClass, 1);
        block ??= new Block(this, BlockSizes.Capacity(sizeClass), sizeClass);
        block.Start = block.End = 0;
        Count(block.Array.Length);
        return block;
    }

    internal void Return(Block block)
    {
        Count(-block.Array.Length);
        block.Next = null;
        if (block.SizeClass != BlockSizes.Unpooled)
        {
            ReturnChain(block);
        }
    }

    /// <summary>Lets go some of what was kept for nothing. Unless it is done one has to come again.</summary>
    internal TrimResult Trim()
    {
        if (Discarder.IsUnderWay)
        {
            return TrimResult.Interrupted;
        }

        Block? idle;
        TrimResult outcome;
        lock (_gate)
        {
            idle = _free.TakeUnused(out outcome);
            _trims = outcome != TrimResult.Done;
        }

        Discarder.Begin(idle);
        return outcome;
    }

    private void Count(int bytes)
    {
        Interlocked.Add(ref _outstanding, bytes);
        Budget.Add(bytes);
    }
}
