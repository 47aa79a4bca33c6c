namespace Broker.Transport.Buffers;

/// <summary>Where blocks come from and go to: the pool of the thread's loop, or the depot for threads that are none.</summary>
internal static class BlockPools
{
    internal static Block Rent(int size, EventLoop? loop, SharedBlockPool depot) => loop is not null ? loop.Blocks.Rent(size) : depot.Rent(size);

    internal static void Return(Block block, EventLoop? loop)
    {
        if (loop is not null)
        {
            loop.Blocks.Return(block);
        }
        else
        {
            block.Pool.Return(block);
        }
    }

    internal static void ReturnAll(Block? first, EventLoop? loop)
    {
        for (Block? at = first; at is not null;)
        {
            Block next = at;
            at = at.Next;
            Return(next, loop);
        }
    }

    /// <summary>
    /// Takes <paramref name="sent"/> bytes off the front of blocks and gives back those that are empty. Returns the first that is left;
    /// <paramref name="waste"/> grows by the room there was in those that are gone and had a next one.
    /// </summary>
    internal static Block? Consume(Block first, int sent, EventLoop? loop, ref long waste)
    {
        Block? at = first;
        while (at is not null && sent >= at.Length)
        {
            sent -= at.Length;
            Block empty = at;
            at = at.Next;
            if (at is not null)
            {
                waste += empty.FreeSpace;
            }

            Return(empty, loop);
        }

        if (at is not null)
        {
            at.Start += sent;
        }

        return at;
    }

    internal static (long Bytes, long Waste) Measure(Block? first)
    {
        long bytes = 0;
        long waste = 0;
        for (Block? at = first; at is not null; at = at.Next)
        {
            bytes += at.Length;
            waste += at.Next is null ? 0 : at.FreeSpace;
        }

        return (bytes, waste);
    }
}
