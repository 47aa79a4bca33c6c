namespace Broker.Transport.Tests;

/// <summary>
/// Tests the memory that may be buffered for all peers of a group together, and each peer's part of it.
/// </summary>
public sealed class MemoryBudgetTests
{
    private const long Limit = 64 << 20;

    [Fact]
    public void Without_a_limit_nothing_is_counted_or_limited()
    {
        var budget = new MemoryBudget(0, loops: 2);
        budget.Add(1L << 50);
        Assert.Equal((0, 0, long.MaxValue, long.MaxValue, false), (budget.Limit, budget.BufferedBytes, budget.Granularity, budget.PerPeerLimit, budget.IsUnderPressure));
    }

    [Fact]
    public void From_half_of_the_limit_on_each_peer_may_use_a_part_of_the_rest()
    {
        var budget = new MemoryBudget(Limit, loops: 1);
        budget.Add(Limit / 2);
        Assert.Equal((false, long.MaxValue), (budget.IsUnderPressure, budget.PerPeerLimit));
        budget.Add(1);
        Assert.Equal((true, ((Limit / 2) - 1) / 32), (budget.IsUnderPressure, budget.PerPeerLimit));
        budget.Add(Limit / 4);
        Assert.Equal(((Limit / 4) - 1) / 32, budget.PerPeerLimit);
        budget.Add(Limit);
        Assert.Equal(16 * 1024, budget.PerPeerLimit);
    }

    [Fact]
    public void The_pressure_ends_at_three_eighths_of_the_limit()
    {
        var budget = new MemoryBudget(Limit, loops: 1);
        int told = 0;
        Action tell = () => told++;
        budget.Add(Limit);
        budget.NotifyWhenAvailable(tell);
        budget.NotifyWhenAvailable(tell);
        budget.NotifyWhenAvailable(() => told += 100);
        budget.Add((Limit / 8 * 3) + 1 - Limit);
        Assert.Equal((true, 0), (budget.IsUnderPressure, told));
        budget.Add(-1);
        Assert.Equal((false, long.MaxValue, 101), (budget.IsUnderPressure, budget.PerPeerLimit, told));
        budget.Add(-budget.BufferedBytes);
        budget.Add(Limit);
        budget.Add(-Limit);
        Assert.Equal(101, told);
    }

    [Fact]
    public void A_callback_runs_at_once_if_there_is_memory_and_never_after_it_was_cancelled()
    {
        var budget = new MemoryBudget(Limit, loops: 1);
        int told = 0;
        Action tell = () => told++;
        budget.NotifyWhenAvailable(tell);
        Assert.Equal(1, told);
        budget.Add(Limit);
        budget.NotifyWhenAvailable(tell);
        budget.CancelNotification(tell);
        budget.Add(-Limit);
        Assert.Equal(1, told);
    }

    [Fact]
    public async Task Threads_that_count_at_the_same_time_leave_no_pressure_and_no_waiting_callback()
    {
        const int Threads = 4;
        const int Rounds = 20_000;
        var budget = new MemoryBudget(Limit, loops: 1);
        int told = 0;
        for (int times = 0; times < 20; times++)
        {
            Task[] all = [.. Enumerable.Range(0, Threads).Select(_ => Task.Run(Count))];
            await Task.WhenAll(all).WaitAsync(Wait.Limit, TestContext.Current.CancellationToken);
            Assert.Equal((0, false, long.MaxValue), (budget.BufferedBytes, budget.IsUnderPressure, budget.PerPeerLimit));
            budget.NotifyWhenAvailable(() => told++);
            Assert.Equal(times + 1, told);
        }

        void Count()
        {
            for (int i = 0; i < Rounds / 20; i++)
            {
                budget.Add(Limit / 5);
                budget.Add(Limit / 100);
                budget.Add(-(Limit / 5) - (Limit / 100));
            }
        }
    }

    [Fact]
    public void A_callback_that_waits_while_threads_count_runs_in_the_end()
    {
        const int Waits = 5_000;
        var budget = new MemoryBudget(Limit, loops: 1);
        var waiting = new Waiting[Waits];
        bool isOver = false;
        var counting = new Thread(() =>
        {
            while (!Volatile.Read(ref isOver))
            {
                budget.Add(Limit);
                budget.Add(-Limit);
            }
        });
        counting.Start();
        for (int i = 0; i < Waits; i++)
        {
            // Each callback is a different delegate, because one that is waiting already is called only once.
            waiting[i] = new Waiting();
            budget.NotifyWhenAvailable(waiting[i].Tell);
        }

        Volatile.Write(ref isOver, true);
        Assert.True(counting.Join(Wait.Limit));
        Assert.All(waiting, static one => Assert.Equal(1, one.Told));
    }

    [Fact]
    public void Loops_report_blocks_in_steps_and_other_threads_at_once()
    {
        var budget = new MemoryBudget(Limit, loops: 2);
        var sharedPool = new SharedBlockPool(budget);
        var taking = new LoopBlockPool(sharedPool);
        var giving = new LoopBlockPool(sharedPool);
        var blocks = new List<Block>();
        while (!budget.IsUnderPressure)
        {
            Assert.InRange(taking.RentedBytes, 0, Limit);
            blocks.Add(taking.Rent(4_000));
            Assert.InRange(taking.RentedBytes - budget.BufferedBytes, 0, budget.Granularity);
        }

        Assert.InRange(taking.RentedBytes, (Limit / 2) + 1, (Limit / 2) + budget.Granularity + 4096);
        blocks.ForEach(giving.Return);
        Assert.False(budget.IsUnderPressure);
        Assert.InRange(budget.BufferedBytes, -2 * budget.Granularity, 2 * budget.Granularity);

        long before = budget.BufferedBytes;
        Block block = sharedPool.Rent(3_000_000);
        Assert.Equal(before + block.Array.Length, budget.BufferedBytes);
        sharedPool.Return(block);
        Assert.Equal(before, budget.BufferedBytes);
    }

    [Fact]
    public void A_groups_limit_comes_from_its_options_or_from_the_heap_limit()
    {
        using var limited = new EventLoopGroup(new EventLoopOptions { CallerDriven = true, MaxBufferedBytes = 1 << 20 });
        using var usual = new EventLoopGroup(new EventLoopOptions { CallerDriven = true });
        using var unlimited = new EventLoopGroup(new EventLoopOptions { CallerDriven = true, MaxBufferedBytes = 0 });
        Assert.Equal(
            (1 << 20, HeapLimit.MaxBufferedBytes(HeapLimit.Read()), 0), (limited.MemoryBudget.Limit, usual.MemoryBudget.Limit, unlimited.MemoryBudget.Limit));
        Assert.Throws<ArgumentOutOfRangeException>(() => new EventLoopGroup(new EventLoopOptions { MaxBufferedBytes = -1 }));
    }

    private sealed class Waiting
    {
        private int _told;

        internal int Told => Volatile.Read(ref _told);

        internal void Tell() => Interlocked.Increment(ref _told);
    }
}
