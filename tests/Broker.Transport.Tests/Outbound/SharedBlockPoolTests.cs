namespace Broker.Transport.Tests.Outbound;

public sealed class SharedBlockPoolTests
{
    [Fact]
    public void A_thread_without_a_pool_of_its_own_soon_finds_the_blocks_that_a_loop_frees()
    {
        var shared = new SharedBlockPool();
        var loop = new LoopBlockPool(shared);
        var seen = new HashSet<Block>();
        for (int round = 0; round < 1000; round++)
        {
            // The application's thread fills a block, and the loop sends and frees it.
            Block block = shared.Rent(BlockSizes.Small);
            seen.Add(block);
            loop.Return(block);
        }

        // Two chains of 16 blocks, and one block that is being filled.
        Assert.InRange(seen.Count, 1, 33);
    }

    [Fact]
    public void A_loop_keeps_the_blocks_that_only_it_rents()
    {
        var shared = new SharedBlockPool();
        var loop = new LoopBlockPool(shared);
        for (int round = 0; round < 10; round++)
        {
            loop.Return(loop.Rent(BlockSizes.Small));
        }

        Assert.Equal(0, shared.FreeBytes);
        Assert.Equal(BlockSizes.Small, loop.FreeBytes);
    }
}
