namespace Broker.Transport;

/// <summary>
/// The free blocks that the loops of one group share. One loop may only fill blocks, and another loop may only free
/// them. Without a shared pool, the first loop would allocate for ever. Loops exchange blocks with this pool in chains,
/// so that the lock is taken once for a chain. Thread-safe.
/// </summary>
internal sealed class SharedBlockPool(MemoryBudget? budget = null)
{
    // The most free blocks. If the blocks of a burst were freed early, the next burst would allocate new blocks, and
    // both would exist until a garbage collection. So the blocks of a burst stay until they are trimmed. But if the
    // heap is small, as in a container, the limit is smaller, because other code needs the memory too.
    private const long MostBytes = 1024 * 1024 * 1024;
    private const int PartOfHeap = 16;
    private const long LeastBytes = 512 * 1024;

    private readonly Lock _gate = new();
    private readonly FreeBlockList _free = new(Math.Min(MostBytes, GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / PartOfHeap), LeastBytes);
    private long _outstanding;
    private bool _trims;

    // One bit for each size class. It is set if a thread that is not a loop had to allocate a block of this class.
    private int _wanted;

    /// <summary>Called on any thread when there are blocks that <see cref="Trim"/> should free later.</summary>
    internal Action? TrimLater { get; set; }

    /// <summary>The budget that counts all rented blocks.</summary>
    internal MemoryBudget Budget { get; } = budget ?? new MemoryBudget(0, loops: 1);

    /// <summary>
    /// Returns the memory of trimmed blocks to the system: the blocks of this pool and of the loops' pools.
    /// </summary>
    internal BlockDiscarder Discarder { get; } = new();

    /// <summary>
    /// The size of all blocks that <see cref="Rent"/> has lent, minus the size of all blocks that <see cref="Return"/>
    /// has taken back. The chains for the loops' pools do not count.
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

    /// <summary>
    /// Whether a thread without a pool of its own lately found no free block of this size class. In this case, each
    /// loop keeps only a few free blocks of this class and returns the others to this pool. Any thread.
    /// </summary>
    internal bool IsWanted(int sizeClass) => (Volatile.Read(ref _wanted) & 1 << sizeClass) != 0;

    /// <summary>
    /// Rents up to <paramref name="most"/> blocks of a size as a chain. Null if no such block is free.
    /// </summary>
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
        block ??= Allocate(sizeClass);
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

    /// <summary>
    /// Frees some blocks that were not used lately. Unless the result is <see cref="TrimResult.Done"/>, the caller must
    /// call this method again later.
    /// </summary>
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
            if (!_trims)
            {
                _wanted = 0;
            }
        }

        Discarder.Begin(idle);
        return outcome;
    }

    private Block Allocate(int sizeClass)
    {
        lock (_gate)
        {
            _wanted |= 1 << sizeClass;
        }

        return new Block(this, BlockSizes.Capacity(sizeClass), sizeClass);
    }

    private void Count(int bytes)
    {
        Interlocked.Add(ref _outstanding, bytes);
        Budget.Add(bytes);
    }
}
