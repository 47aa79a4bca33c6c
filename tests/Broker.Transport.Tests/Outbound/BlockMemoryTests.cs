using System.Runtime.InteropServices;

namespace Broker.Transport.Tests.Outbound;

public sealed partial class BlockMemoryTests
{
    [Fact]
    public void A_block_for_a_large_message_is_at_most_half_as_large_again()
    {
        for (int size = 4097; size <= 2 * 1024 * 1024; size += size < 200_000 ? 1 : 997)
        {
            int capacity = BlockSizes.Capacity(BlockSizes.ClassFor(size));
            Assert.InRange(capacity, size, size > 64 * 1024 ? size * 3L / 2 : size * 2L);
        }

        Assert.Equal(BlockSizes.Unpooled, BlockSizes.ClassFor((2 * 1024 * 1024) + 1));
    }

    [Fact]
    public void Every_capacity_is_in_its_own_class()
    {
        for (int sizeClass = 0; sizeClass < BlockSizes.Count; sizeClass++)
        {
            Assert.Equal(sizeClass, BlockSizes.ClassFor(BlockSizes.Capacity(sizeClass)));
        }
    }

    [Fact]
    public void Unused_blocks_of_a_burst_are_freed()
    {
        var sharedPool = new SharedBlockPool();
        var pool = new LoopBlockPool(sharedPool);
        int asked = 0;
        int askedDepot = 0;
        pool.TrimLater = () => asked++;
        sharedPool.TrimLater = () => askedDepot++;
        int[] sizes = [100, 4_000, 60_000, 70_000, 300_000, 2_000_000];
        var blocks = new List<Block>();
        for (int i = 0; i < 300; i++)
        {
            blocks.Add(pool.Rent(sizes[i % sizes.Length]));
        }

        long held = blocks.Sum(block => (long)block.Array.Length);
        Assert.Equal(held, pool.RentedBytes);
        blocks.ForEach(pool.Return);
        Assert.Equal(0, pool.RentedBytes);
        Assert.Equal((1, 1), (asked, askedDepot));
        // All of it stays for the next burst: blocks that were freed at once would have to be allocated again.
        Assert.Equal(held, pool.FreeBytes + sharedPool.FreeBytes);
        for (int passes = 0; pool.FreeBytes + sharedPool.FreeBytes > 1024 * 1024; passes++)
        {
            Assert.InRange(passes, 0, 30);
            Pass(pool.Trim, () => pool.FreeBytes);
            Pass(sharedPool.Trim, () => sharedPool.FreeBytes);
        }

        Assert.Equal((TrimResult.Done, TrimResult.Done), (Pass(pool.Trim, () => pool.FreeBytes), Pass(sharedPool.Trim, () => sharedPool.FreeBytes)));

        Assert.InRange(pool.FreeBytes, 0, 512 * 1024);
        Assert.InRange(sharedPool.FreeBytes, 0, 512 * 1024);
        // The pool asks for a trim again after the next burst.
        blocks.Clear();
        for (int i = 0; i < 20; i++)
        {
            blocks.Add(pool.Rent(100_000));
        }

        blocks.ForEach(pool.Return);
        Assert.Equal(2, asked);
    }

    // One pass over all free blocks, in parts that take little time; each part begins when the system has got back the
    // pages of the last one.
    private static TrimResult Pass(Func<TrimResult> trim, Func<long> kept)
    {
        TrimResult outcome;
        do
        {
            long before = kept();
            outcome = trim();
            Assert.InRange(before - kept(), 0, 10 * 1024 * 1024);
        }
        while (outcome == TrimResult.Interrupted);
        return outcome;
    }

    [Fact]
    public async Task Freed_blocks_return_their_pages_to_the_system_before_a_collection()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "pages are given back by madvise");
        var sharedPool = new SharedBlockPool();
        int[] sizes = [8_000, 64_000, 300_000, 1_000_000, 2_000_000];
        Block[] blocks = [.. sizes.Select(sharedPool.Rent)];
        foreach (Block block in blocks)
        {
            block.Array.AsSpan().Fill(0xAA);
            sharedPool.Return(block);
        }

        while (sharedPool.Trim() != TrimResult.Done)
        {
        }

        foreach (Block block in blocks.Where(block => block.Array.Length > 512 * 1024))
        {
            // The first and the last page are shared with other memory.
            await Wait.UntilAsync(() => block.Array.AsSpan().Count((byte)0xAA) <= 2 * Environment.SystemPageSize, $"the pages of {block.Array.Length} bytes");
        }
    }

    [Fact]
    public void Freeing_blocks_takes_a_twentieth_of_a_processor_at_most()
    {
        Assert.Equal(TimeSpan.FromMilliseconds(5), BlockDiscarder.PauseAfter(TimeSpan.Zero));
        Assert.Equal(TimeSpan.FromMilliseconds(1_900), BlockDiscarder.PauseAfter(TimeSpan.FromMilliseconds(100)));
        Assert.Equal(TimeSpan.FromSeconds(10), BlockDiscarder.PauseAfter(TimeSpan.FromMinutes(1)));
    }

    [Fact]
    public void The_pages_of_a_large_block_are_mapped_before_it_is_filled()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && Environment.OSVersion.Version >= new Version(5, 14), "pages are asked for by madvise of Linux 5.14");
        byte[] fresh = new SharedBlockPool().Rent(2_000_000).Array;
        nuint page = (nuint)Environment.SystemPageSize;
        nuint first = ((nuint)Marshal.UnsafeAddrOfPinnedArrayElement(fresh, 0) + page - 1) / page * page;
        byte[] resident = new byte[((nuint)fresh.Length / page) - 1];
        Assert.Equal(0, FindResident(first, (nuint)resident.Length * page, resident));
        Assert.All(resident, static flags => Assert.Equal(1, flags & 1));
        GC.KeepAlive(fresh);
    }

    [LibraryImport("libc", EntryPoint = "mincore", SetLastError = true)]
    private static partial int FindResident(nuint address, nuint length, Span<byte> pages);

    [Fact]
    public void A_burst_that_soon_follows_another_reuses_most_of_its_blocks()
    {
        var pool = new LoopBlockPool(new SharedBlockPool());
        var burst = new HashSet<Block>(Enumerable.Range(0, 60).Select(_ => pool.Rent(60_000)));
        foreach (Block block in burst)
        {
            pool.Return(block);
        }

        // The first pass only marks the blocks, and the second frees a third of them.
        pool.Trim();
        Assert.Equal(burst.Sum(static block => (long)block.Array.Length), pool.FreeBytes);
        pool.Trim();
        Assert.Equal(40, Enumerable.Range(0, 60).Count(_ => burst.Contains(pool.Rent(60_000))));
    }

    [Fact]
    public void Blocks_in_steady_use_are_kept()
    {
        var pool = new LoopBlockPool(new SharedBlockPool());
        Block[] first = [.. Enumerable.Range(0, 30).Select(_ => pool.Rent(60_000))];
        Array.ForEach(first, pool.Return);
        for (int round = 0; round < 5; round++)
        {
            Block[] again = [.. Enumerable.Range(0, 30).Select(_ => pool.Rent(60_000))];
            Assert.Subset(first.ToHashSet(), again.ToHashSet());
            Array.ForEach(again, pool.Return);
            pool.Trim();
        }
    }

    [Fact]
    public void A_block_that_returns_to_another_pool_of_the_group_is_counted_once()
    {
        var sharedPool = new SharedBlockPool();
        var taking = new LoopBlockPool(sharedPool);
        var giving = new LoopBlockPool(sharedPool);
        var elsewhere = new LoopBlockPool(new SharedBlockPool());
        Block a = taking.Rent(1_000);
        Block b = sharedPool.Rent(5_000_000);
        Block c = taking.Rent(100_000);
        Assert.Equal(a.Array.Length + b.Array.Length + c.Array.Length, taking.RentedBytes + giving.RentedBytes + sharedPool.RentedBytes);
        giving.Return(a);
        giving.Return(b);
        // The other end of a link may belong to another group.
        elsewhere.Return(c);
        Assert.Equal(0, taking.RentedBytes + giving.RentedBytes + sharedPool.RentedBytes);
        Assert.Equal(0, elsewhere.RentedBytes);
    }
}
