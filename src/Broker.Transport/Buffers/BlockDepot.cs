namespace Broker.Transport.Buffers;

/// <summary>
/// The blocks that the loops of one group share. A loop that fills blocks for connections of another loop
/// would otherwise allocate for ever while the other one throws away; loops exchange them here in chains,
/// so that the lock is taken once per chain. Safe for any thread.
/// </summary>
internal sealed class BlockDepot
{
    private readonly Lock _gate = new();
    private readonly Block?[] _heads = new Block?[BlockSizes.Count];
    private readonly int[] _counts = new int[BlockSizes.Count];

    /// <summary>Takes up to <paramref name="most"/> blocks as a chain; null when none is kept.</summary>
    internal Block? TakeChain(int sizeClass, int most, out int taken)
    {
        taken = 0;
        lock (_gate)
        {
            Block? first = _heads[sizeClass];
            Block? last = null;
            for (Block? at = first; at is not null && taken < most; at = at.Next)
            {
                last = at;
                taken++;
            }

            if (last is not null)
            {
                _heads[sizeClass] = last.Next;
                _counts[sizeClass] -= taken;
                last.Next = null;
            }

            return first;
        }
    }

    internal void GiveChain(Block first, Block last, int count, int sizeClass)
    {
        lock (_gate)
        {
            if (_counts[sizeClass] + count > BlockSizes.Kept(sizeClass) * 2)
            {
                return;
            }

            last.Next = _heads[sizeClass];
            _heads[sizeClass] = first;
            _counts[sizeClass] += count;
        }
    }

    internal Block Take(int size)
    {
        int sizeClass = BlockSizes.ClassFor(size);
        if (sizeClass == BlockSizes.Unpooled)
        {
            return new Block(this, size, BlockSizes.Unpooled);
        }

        Block? block = TakeChain(sizeClass, 1, out _) ?? new Block(this, BlockSizes.Capacity(sizeClass), sizeClass);
        block.Start = block.End = 0;
        return block;
    }

    internal void Give(Block block)
    {
        if (block.SizeClass != BlockSizes.Unpooled)
        {
            GiveChain(block, block, 1, block.SizeClass);
        }
    }
}
