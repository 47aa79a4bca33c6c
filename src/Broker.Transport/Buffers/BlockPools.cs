namespace Broker.Transport;

/// <summary>
/// Rents and returns blocks. On an event loop, the loop's own pool is used. On other threads, the shared pool is used.
/// </summary>
internal static class BlockPools
{
    internal static Block Rent(int size, EventLoop? loop, SharedBlockPool pool) => loop is not null ? loop.Blocks.Rent(size) : pool.Rent(size);

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
    /// Removes <paramref name="sent"/> bytes from the front of a chain and returns empty blocks to their pool. Returns
    /// the first remaining block. <paramref name="unused"/> grows by the free space of the removed blocks that were not
    /// the last block of the chain.
    /// </summary>
    internal static Block? Consume(Block first, int sent, EventLoop? loop, ref long unused)
    {
        Block? at = first;
        while (at is not null && sent >= at.Length)
        {
            sent -= at.Length;
            Block empty = at;
            at = at.Next;
            if (at is not null)
            {
                unused += empty.FreeSpace;
            }

            Return(empty, loop);
        }

        if (at is not null)
        {
            at.Start += sent;
        }

        return at;
    }

    internal static (long Bytes, long Unused) Measure(Block? first)
    {
        long bytes = 0;
        long unused = 0;
        for (Block? at = first; at is not null; at = at.Next)
        {
            bytes += at.Length;
            unused += at.Next is null ? 0 : at.FreeSpace;
        }

        return (bytes, unused);
    }
}
