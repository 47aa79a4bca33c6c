namespace Broker.Transport.Buffers;

/// <summary>One loop's own blocks, last in first out. Used by that loop's thread only.</summary>
internal sealed class BlockPool(BlockDepot depot)
{
    private const int ChainLength = 16;

    private readonly Block?[] _heads = new Block?[BlockSizes.Count];
    private readonly int[] _counts = new int[BlockSizes.Count];

    /// <summary>A block of at least <paramref name="size"/> bytes, empty, owned by the caller.</summary>
    internal Block Take(int size)
    {
        int sizeClass = BlockSizes.ClassFor(size);
        if (sizeClass == BlockSizes.Unpooled)
        {
            return new Block(depot, size, BlockSizes.Unpooled);
        }

        Block? block = _heads[sizeClass] ?? Refill(sizeClass);
        _heads[sizeClass] = block.Next;
        _counts[sizeClass]--;
        block.Next = null;
        block.Start = block.End = 0;
        return block;
    }

    internal void Give(Block block)
    {
        int sizeClass = block.SizeClass;
        if (sizeClass == BlockSizes.Unpooled)
        {
            return;
        }

        if (block.Home != depot)
        {
            block.Home.Give(block);
            return;
        }

        block.Next = _heads[sizeClass];
        _heads[sizeClass] = block;
        if (++_counts[sizeClass] > BlockSizes.Kept(sizeClass))
        {
            Spill(sizeClass);
        }
    }

    private Block Refill(int sizeClass)
    {
        Block? chain = depot.TakeChain(sizeClass, ChainLength, out int taken);
        if (chain is null)
        {
            chain = new Block(depot, BlockSizes.Capacity(sizeClass), sizeClass);
            taken = 1;
        }

        _counts[sizeClass] += taken;
        return chain;
    }

    private void Spill(int sizeClass)
    {
        int count = Math.Min(ChainLength, _counts[sizeClass]);
        Block first = _heads[sizeClass]!;
        Block last = first;
        for (int i = 1; i < count; i++)
        {
            last = last.Next!;
        }

        _heads[sizeClass] = last.Next;
        _counts[sizeClass] -= count;
        depot.GiveChain(first, last, count, sizeClass);
    }
}
