namespace Broker.Transport.Buffers;

/// <summary>
/// Blocks in order, of which all are whole pieces of what writers wrote and the last has room for more. Not thread-safe: whoever
/// owns the blocks.
/// </summary>
/// <remarks>
/// The <em>waste</em> of a chain is the room left in all of its blocks but the last, whose room is filled first when more
/// comes. Methods say how they change it, and the owner keeps the sum.
/// </remarks>
internal struct BlockChain
{
    // What is copied at a time under a lock: a microsecond or two.
    internal const int MaxCopy = 32 * 1024;

    // A new last block is this part of what waits, as sizes allow: its room is held for nothing until it is filled.
    private const int LastBlockPart = 8;

    internal Block? Head { get; private set; }

    internal Block? Tail { get; private set; }

    internal readonly bool IsEmpty => Head is null;

    internal BlockChain(Block head, Block tail)
    {
        Head = head;
        Tail = tail;
    }

    /// <summary>Adds a block as it is. Returns how much the waste grows.</summary>
    internal long Link(Block block)
    {
        long waste = 0;
        if (Tail is null)
        {
            Head = block;
        }
        else
        {
            waste = Tail.FreeSpace;
            Tail.Next = block;
        }

        Tail = block;
        return waste;
    }

    /// <summary>
    /// Adds what a block holds in as little memory as that takes without much copying: behind the last block's bytes, in a
    /// block of a size of its own, or as it is. Returns how much the waste grows. So, whatever writers bring at a time, at least
    /// about half of the memory of a chain holds bytes, and above 16 KiB the room in its last block is a quarter of what waits at most, but for a single message that needs a larger one.
    /// </summary>
    /// <param name="block">Has no next one. The chain's from now on, if it is not given back.</param>
    /// <param name="waiting">How much waits already, which says how large a block is worth while.</param>
    /// <param name="loop">The caller's loop, if it is one.</param>
    /// <param name="depot">Where other threads find blocks.</param>
    internal long Pack(Block block, long waiting, EventLoop? loop, SharedBlockPool depot)
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
                Block fitting = BlockPools.Rent(capacity, loop, depot);
                fitting.Append(block);
                BlockPools.Return(block, loop);
                block = fitting;
            }
        }

        return Link(block);
    }

    /// <summary>
    /// Puts blocks in front again that were taken out, the last of which is <paramref name="last"/>. Returns how much the waste grows.
    /// </summary>
    internal long PutBack(Block first, Block last, EventLoop? loop)
    {
        long waste = 0;
        // What came meanwhile, one little block after the other, goes where there is room.
        while (Head is { } next && next.Start == 0 && next.Length <= Math.Min(MaxCopy, last.FreeSpace))
        {
            waste -= next.Next is null ? 0 : next.FreeSpace;
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
            waste += last.FreeSpace;
        }

        Head = first;
        return waste;
    }

    /// <summary>
    /// Moves what is left of a first block that is mostly sent to one of a fitting size, from the beginning of the message that was cut.
    /// Returns how much the waste grows. For blocks that nobody has been lent.
    /// </summary>
    /// <param name="from">Where that message begins, or <see cref="Block.Start"/> if none was cut.</param>
    /// <param name="loop">The caller's loop, if it is one.</param>
    /// <param name="depot">Where other threads find blocks.</param>
    internal long TrimFirst(int from, EventLoop? loop, SharedBlockPool depot)
    {
        Block first = Head!;
        int kept = first.End - from;
        int capacity = kept > MaxCopy ? int.MaxValue : BlockSizes.Capacity(BlockSizes.ClassFor(kept));
        if (capacity >= first.Array.Length)
        {
            return 0;
        }

        Block fitting = BlockPools.Rent(capacity, loop, depot);
        first.Array.AsSpan(from, kept).CopyTo(fitting.Array);
        fitting.Start = first.Start - from;
        fitting.End = kept;
        fitting.Next = first.Next;
        long waste = first.Next is null ? 0 : fitting.FreeSpace - first.FreeSpace;
        Head = fitting;
        Tail = first.Next is null ? fitting : Tail;
        first.Next = null;
        BlockPools.Return(first, loop);
        return waste;
    }

    /// <summary>Takes <paramref name="sent"/> bytes off the front. Returns how much the waste shrinks.</summary>
    internal long Consume(int sent, EventLoop? loop)
    {
        long waste = 0;
        Head = Head is null ? null : BlockPools.Consume(Head, sent, loop, ref waste);
        Tail = Head is null ? null : Tail;
        return waste;
    }

    /// <summary>Gives all of it away.</summary>
    internal BlockChain TakeAll()
    {
        BlockChain all = this;
        Head = Tail = null;
        return all;
    }

    internal readonly (long Bytes, long Waste) Measure() => BlockPools.Measure(Head);
}
