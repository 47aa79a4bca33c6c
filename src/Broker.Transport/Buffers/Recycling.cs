namespace Broker.Transport.Buffers;

/// <summary>Where blocks come from and go to: the pool of the thread's loop, or the depot for threads that are none.</summary>
internal static class Recycling
{
    internal static Block Take(int size, EventLoop? loop, BlockDepot depot) => loop is not null ? loop.Blocks.Take(size) : depot.Take(size);

    internal static void Give(Block block, EventLoop? loop)
    {
        if (loop is not null)
        {
            loop.Blocks.Give(block);
        }
        else
        {
            block.Home.Give(block);
        }
    }

    internal static void GiveAll(Block? first, EventLoop? loop)
    {
        for (Block? at = first; at is not null;)
        {
            Block next = at;
            at = at.Next;
            Give(next, loop);
        }
    }

    /// <summary>
    /// Takes <paramref name="gone"/> bytes off the front of blocks and gives back those that are empty. Returns the first that is left;
    /// <paramref name="waste"/> grows by the room there was in those that are gone and had a next one.
    /// </summary>
    internal static Block? Consume(Block first, int gone, EventLoop? loop, ref long waste)
    {
        Block? at = first;
        while (at is not null && gone >= at.Length)
        {
            gone -= at.Length;
            Block empty = at;
            at = at.Next;
            if (at is not null)
            {
                waste += empty.Room;
            }

            Give(empty, loop);
        }

        if (at is not null)
        {
            at.Start += gone;
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
            waste += at.Next is null ? 0 : at.Room;
        }

        return (bytes, waste);
    }
}
