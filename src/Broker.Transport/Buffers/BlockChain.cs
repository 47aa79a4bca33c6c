namespace Broker.Transport;

/// <summary>
/// A linked list of blocks. All blocks contain whole messages, and the last block may have free space for more bytes.
/// Not thread-safe: only the owner of the blocks uses it.
/// </summary>
/// <remarks>
/// The <em>unused space</em> of a chain is the free space in all blocks except the last. The last block does not count,
/// because later bytes fill it first. Methods report how they change the unused space, and the owner of the chain keeps
/// the sum.
/// </remarks>
internal struct BlockChain
{
    // The most bytes that are copied at a time under a lock. Such a copy takes one or two microseconds.
    internal const int MaxCopy = 32 * 1024;

    // The size of a new last block is about this part of the waiting bytes. A larger block would waste more memory,
    // because its free space is unused until it is filled.
    private const int LastBlockPart = 8;

    internal Block? Head { get; private set; }

    internal Block? Tail { get; private set; }

    internal readonly bool IsEmpty => Head is null;

    internal BlockChain(Block head, Block tail)
    {
        Head = head;
        Tail = tail;
    }

    /// <summary>Adds a block unchanged. Returns by how much the unused space grows.</summary>
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
    /// Adds the content of a block, so that it uses little memory and needs little copying: behind the bytes of the
    /// last block, in a new block of a fitting size, or unchanged. Returns by how much the unused space grows. Bytes
    /// fill at least about half of a chain's memory, however small the added parts are. If the chain has more than 16
    /// KiB, the free space in the last block is at most a quarter of the waiting bytes, except for a single message
    /// that needs a larger block.
    /// </summary>
    /// <param name="block">
    /// A block whose <see cref="Block.Next"/> is null. From now on the chain owns the block, or has returned it to its
    /// pool.
    /// </param>
    /// <param name="waiting">The number of bytes that wait already. It determines the size of a new block.</param>
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
    /// Puts blocks that were taken out of the chain in front of the chain again. <paramref name="last"/> is the last of
    /// these blocks. Returns by how much the unused space grows.
    /// </summary>
    internal long PutBack(Block first, Block last, EventLoop? loop)
    {
        long unused = 0;
        // Small blocks that were added to the chain meanwhile are copied into the free space of last.
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
    /// Moves the unsent rest of the first block into a smaller block, if the rest fits one. The rest begins with the
    /// message that was sent in part. Returns by how much the unused space grows. Must not be called for a block that a
    /// transport is sending.
    /// </summary>
    /// <param name="from">
    /// The start of the partly sent message, or <see cref="Block.Start"/> if there is no such message.
    /// </param>
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
    /// Removes <paramref name="sent"/> bytes from the front. Returns by how much the unused space shrinks.
    /// </summary>
    internal long Consume(int sent, EventLoop? loop)
    {
        long unused = 0;
        Head = Head is null ? null : BlockPools.Consume(Head, sent, loop, ref unused);
        Tail = Head is null ? null : Tail;
        return unused;
    }

    /// <summary>Empties the chain and returns its previous content.</summary>
    internal BlockChain TakeAll()
    {
        BlockChain all = this;
        Head = Tail = null;
        return all;
    }

    internal readonly (long Bytes, long Unused) Measure() => BlockPools.Measure(Head);
}
