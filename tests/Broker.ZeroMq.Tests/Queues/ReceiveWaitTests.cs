namespace Broker.ZeroMq.Tests.Queues;

public sealed class ReceiveWaitTests
{
    private static readonly TimeSpan Guard = Wait.Limit;

    [Theory]
    [InlineData(0)]
    [InlineData(100)]
    public void A_blocked_receiver_is_woken_by_a_message(int attempts)
    {
        var bench = new Bench();
        string? received = null;
        var receiver = new Thread(() => received = bench.Take(attempts, Timeout.InfiniteTimeSpan));
        receiver.Start();
        Wait.Until(() => !bench.Queue.Waiters.IsEmpty);

        bench.Add(bench.Source(), "hello");

        Assert.True(receiver.Join(Guard));
        Assert.Equal("hello", received);
        Assert.True(bench.Queue.Waiters.IsEmpty);
    }

    [Fact]
    public void A_receiver_returns_after_its_timeout_and_leaves_no_waiter()
    {
        var bench = new Bench();

        Assert.Null(bench.Take(attempts: 3, TimeSpan.FromMilliseconds(20)));

        Assert.True(bench.Queue.Waiters.IsEmpty);
        bench.Add(bench.Source(), "later");
        Assert.Equal("later", bench.TakeNow());
    }

    [Fact]
    public void Two_messages_of_one_batch_wake_two_receivers()
    {
        var bench = new Bench();
        Thread[] threads = Enumerable.Range(0, 2).Select(_ => new Thread(() => bench.Take(0, Timeout.InfiniteTimeSpan))).ToArray();
        foreach (Thread? thread in threads)
        {
            thread.Start();
        }

        Wait.Until(() => bench.Queue.Waiters.Count == 2);
        bench.Add(bench.Source(), Bench.Numbers(0, 2), 2);

        Assert.All(threads, thread => Assert.True(thread.Join(Guard)));
    }

    [Fact]
    public void A_close_ends_all_waits()
    {
        var bench = new Bench();
        var outcomes = new DequeueResult[3];
        Thread[] threads = Enumerable.Range(0, 3).Select(i => new Thread(() =>
        {
            var reader = new Bench.NumberTaker();
            outcomes[i] = bench.Queue.Take(ref reader, 0, Timeout.InfiniteTimeSpan);
        })).ToArray();
        Array.ForEach(threads, thread => thread.Start());
        Wait.Until(() => bench.Queue.Waiters.Count == 3);

        bench.Queue.Close();

        Assert.All(threads, thread => Assert.True(thread.Join(Guard)));
        Assert.All(outcomes, outcome => Assert.Equal(DequeueResult.Closed, outcome));
    }

    [Fact]
    public async Task An_awaiting_receiver_is_woken_by_a_message()
    {
        var bench = new Bench();
        Task wait = bench.Queue.WaitAsync(CancellationToken.None).AsTask();
        Assert.False(wait.IsCompleted);

        bench.Add(bench.Source(), "hello");

        await wait.WaitAsync(Guard, TestContext.Current.CancellationToken);
        Assert.Equal("hello", bench.TakeNow());
        Assert.True(bench.Queue.Waiters.IsEmpty);
    }

    [Fact]
    public async Task An_await_completes_at_once_if_there_is_a_message()
    {
        var bench = new Bench();
        bench.Add(bench.Source(), "here");

        await bench.Queue.WaitAsync(CancellationToken.None).AsTask().WaitAsync(Guard, TestContext.Current.CancellationToken);

        Assert.Equal("here", bench.TakeNow());
    }

    [Fact]
    public async Task A_cancelled_await_leaves_the_message_to_others()
    {
        var bench = new Bench();
        using var cancellation = new CancellationTokenSource();
        Task cancelled = bench.Queue.WaitAsync(cancellation.Token).AsTask();
        Task other = bench.Queue.WaitAsync(CancellationToken.None).AsTask();

        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => cancelled.WaitAsync(Guard, TestContext.Current.CancellationToken));
        bench.Add(bench.Source(), "hello");

        await other.WaitAsync(Guard, TestContext.Current.CancellationToken);
        Assert.Equal("hello", bench.TakeNow());
    }

    /// <summary>
    /// Blocking, trying, awaiting and cancelled receivers use one queue with a small high-water mark. Each number
    /// arrives once, and in the order of its peer.
    /// </summary>
    [Fact]
    public async Task Each_message_is_received_once_with_all_kinds_of_receivers()
    {
        const int PerPeer = 30_000;
        const int Peers = 3;
        var bench = new Bench(mostMessages: 16, mostBytes: 64 * 1024);
        using var loop = new SemaphoreSlim(0);
        bench.Resumed = () => loop.Release();
        int[] seen = new int[PerPeer * Peers];
        int left = seen.Length;
        using var done = new CancellationTokenSource();

        void Count(int number)
        {
            Interlocked.Increment(ref seen[number]);
            if (Interlocked.Decrement(ref left) == 0)
            {
                bench.Queue.Close();
                done.Cancel();
            }
        }

        Thread[] blocking = Enumerable.Range(0, 3).Select(i => new Thread(() =>
        {
            var reader = new Bench.NumberTaker();
            while (true)
            {
                DequeueResult outcome = bench.Queue.Take(ref reader, i * 20, i == 1 ? TimeSpan.FromMilliseconds(1) : Timeout.InfiniteTimeSpan);
                if (outcome == DequeueResult.Closed)
                {
                    return;
                }

                if (outcome == DequeueResult.Taken)
                {
                    Count(reader.Number);
                }
            }
        })).ToArray();
        Task[] awaiting = Enumerable.Range(0, 3).Select(i => Task.Run(async () =>
        {
            while (!done.IsCancellationRequested)
            {
                using var soon = CancellationTokenSource.CreateLinkedTokenSource(done.Token);
                if (i == 2)
                {
                    soon.CancelAfter(1);
                }

                try
                {
                    int number = bench.TakeNumber();
                    if (number >= 0)
                    {
                        Count(number);
                    }
                    else
                    {
                        await bench.Queue.WaitAsync(soon.Token);
                    }
                }
                catch (OperationCanceledException)
                {
                }
            }
        })).ToArray();
        Array.ForEach(blocking, thread => thread.Start());

        var producer = Task.Run(() =>
        {
            (ReceiveSource Source, byte[] Left)[] sources = Enumerable.Range(0, Peers).Select(i => (Source: bench.Source(), Left: Bench.Numbers(i * PerPeer, PerPeer))).ToArray();
            int at = 0;
            while (sources.Any(s => s.Left.Length > 0))
            {
                bool any = false;
                for (int i = 0; i < sources.Length; i++)
                {
                    (ReceiveSource? source, byte[]? rest) = sources[i];
                    int some = Math.Min(rest.Length / 10, (at++ % 40) + 1);
                    if (some > 0)
                    {
                        int added = bench.Add(source, rest.AsSpan(0, some * 10), some);
                        sources[i] = (source, rest[added..]);
                        any |= added == some * 10;
                    }
                }

                if (!any)
                {
                    loop.Wait(TimeSpan.FromMilliseconds(5), TestContext.Current.CancellationToken);
                }
            }
        }, TestContext.Current.CancellationToken);

        await producer.WaitAsync(Guard, TestContext.Current.CancellationToken);
        await Task.WhenAll(awaiting).WaitAsync(Guard, TestContext.Current.CancellationToken);
        Assert.All(blocking, thread => Assert.True(thread.Join(Guard)));
        Assert.All(seen, count => Assert.Equal(1, count));
        Assert.Equal(0, bench.Pool.Outstanding);
    }
}
