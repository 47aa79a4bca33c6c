namespace Broker.Transport;

/// <summary>
/// A linked list of blocks. All of them contain whole messages, and the last one has free space for more. Not
/// thread-safe: only the owner of the blocks uses it.
/// </summary>
/// <remarks>
/// The <em>unused space</em> of a chain is the free space in all of its blocks except the last, which is filled first
/// when more bytes come. Methods report how they change the unused space, and the owner keeps the sum.
/// </remarks>
internal struct BlockChain
{
    // The most bytes that are copied at a time under a lock, which takes a microsecond or two.
    internal const int MaxCopy = 32 * 1024;

    // A new last block has about this part of the waiting bytes as its size: its free space is unused until it is
    // filled.
    private const int LastBlockPart = 8;

    internal Block? Head { get; private set; }

    internal Block? Tail { get; private set; }

    internal readonly bool IsEmpty => Head is null;

    internal BlockChain(Block head, Block tail)
    {
        Head = head;
        Tail = tail;
    }

    /// <summary>Adds a block unchanged. Returns how much the unused space grows.</summary>
    internal long Link(Block block)
    {
        long unused = 0;
        if (Tail is null)
        {
            Head = block;
        }
        else
        {
            unused = Tail.FreeSpace;
            Tail.Next = block;
        }

        Tail = block;
        return unused;
    }

    /// <summary>
    /// Adds the content of a block in as little memory as possible without much copying: behind the bytes of the last
    /// block, in a new block of a fitting size, or unchanged. Returns how much the unused space grows. So at least about
    /// half of a chain's memory contains bytes, however small the added parts are. Above 16 KiB, the free space in the
    /// last block is at most a quarter of the waiting bytes, except for a single message that needs a larger block.
    /// </summary>
    /// <param name="block">
    /// A block without a next one. The chain owns it from now on, or returns it to its pool.
    /// </param>
    /// <param name="waiting">How many bytes wait already; this determines the size of a new block.</param>
    /// <param name="loop">The caller's loop, or null if the caller is not a loop.</param>
    /// <param name="pool">The pool for callers that are not loops.</param>
    internal long Pack(Block block, long waiting, EventLoop? loop, SharedBlockPool pool)
    {
        int length = block.Length;
        if (length <= MaxCopy && block.Start == 0)
        {
            if (length == 0 || (Tail is { } tail && length <= tail.FreeSpace))
            {
                Tail?.Append(block);
                BlockPools.Return(block, loop);
                return 0;
            }

            int capacity = BlockSizes.Capacity(BlockSizes.ClassFor((int)Math.Max(length, Math.Clamp(waiting / LastBlockPart, BlockSizes.Small, BlockSizes.Stream))));
            if (capacity < block.Array.Length ? length * 2 < block.Array.Length : capacity > block.Array.Length && length * 2 < capacity)
            {
                Block fitting = BlockPools.Rent(capacity, loop, pool);
                fitting.Append(block);
                BlockPools.Return(block, loop);
                block = fitting;
            }
        }

        return Link(block);
    }

    /// <summary>
    /// Puts blocks that were taken out in front again; <paramref name="last"/> is the last of them. Returns how much
    /// the unused space grows.
    /// </summary>
    internal long PutBack(Block first, Block last, EventLoop? loop)
    {
        long unused = 0;
        // Small blocks that were added meanwhile are copied into the free space of the last block.
        while (Head is { } next && next.Start == 0 && next.Length <= Math.Min(MaxCopy, last.FreeSpace))
        {
            unused -= next.Next is null ? 0 : next.FreeSpace;
            Head = next.Next;
            last.Append(next);
            BlockPools.Return(next, loop);
        }

        if (Head is null)
        {
            Tail = last;
        }
        else
        {
            last.Next = Head;
            unused += last.FreeSpace;
        }

        Head = first;
        return unused;
    }

    /// <summary>
    /// Moves the unsent rest of a mostly sent first block into a block of a fitting size, beginning with the message
    /// that was sent in part. Returns how much the unused space grows. Not for a block that a transport is sending.
    /// </summary>
    /// <param name="from">The start of the partly sent message, or <see cref="Block.Start"/> if there is none.</param>
    /// <param name="loop">The caller's loop, or null if the caller is not a loop.</param>
    /// <param name="pool">The pool for callers that are not loops.</param>
    internal long TrimFirst(int from, EventLoop? loop, SharedBlockPool pool)
    {
        Block first = Head!;
        int kept = first.End - from;
        int capacity = kept > MaxCopy ? int.MaxValue : BlockSizes.Capacity(BlockSizes.ClassFor(kept));
        if (capacity >= first.Array.Length)
        {
            return 0;
        }

        Block fitting = BlockPools.Rent(capacity, loop, pool);
        first.Array.AsSpan(from, kept).CopyTo(fitting.Array);
        fitting.Start = first.Start - from;
        fitting.End = kept;
        fitting.Next = first.Next;
        long unused = first.Next is null ? 0 : fitting.FreeSpace - first.FreeSpace;
        Head = fitting;
        Tail = first.Next is null ? fitting : Tail;
        first.Next = null;
        BlockPools.Return(first, loop);
        return unused;
    }

    /// <summary>
    /// Removes <paramref name="sent"/> bytes from the front. Returns how much the unused space shrinks.
    /// </summary>
    internal long Consume(int sent, EventLoop? loop)
    {
        long unused = 0;
        Head = Head is null ? null : BlockPools.Consume(Head, sent, loop, ref unused);
        Tail = Head is null ? null : Tail;
        return unused;
    }

    /// <summary>Empties the chain and returns its content.</summary>
    internal BlockChain TakeAll()
    {
        BlockChain all = this;
        Head = Tail = null;
        return all;
    }

    internal readonly (long Bytes, long Unused) Measure() => BlockPools.Measure(Head);
}
