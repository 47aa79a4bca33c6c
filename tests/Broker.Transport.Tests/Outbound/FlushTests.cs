namespace Broker.Transport.Tests;

/// <summary>
/// Tests that an iteration that wrote for very many connections flushes them in parts, so that other connections of
/// the loop do not wait for all of them.
/// </summary>
public sealed class FlushTests
{
    private const int Crowd = 500;

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    // All near connections are on one loop; the peer of each is on a loop of another group.
    private static async Task<List<(Probe Near, Probe Far)>> ConnectAsync(ConnectionPairs pairs, int count)
    {
        var made = new List<(Probe Near, Probe Far)>();
        for (int i = 0; i < count; i++)
        {
            (Probe Near, Probe Far) pair = (new Probe(), new Probe());
            await pairs.ConnectAsync(pair.Near, pair.Far);
            made.Add(pair);
        }

        return made;
    }

    private static Task<T> OnLoopAsync<T>(EventLoop loop, Func<T> get)
    {
        var done = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
        loop.Post(() => done.SetResult(get()));
        return done.Task.WaitAsync(ConnectionPairs.WaitLimit, Cancellation);
    }

    [Theory]
    [InlineData(TransportKind.InProcess)]
    [InlineData(TransportKind.Portable)]
    public async Task An_iteration_flushes_a_batch_and_the_rest_follows_in_order(TransportKind kind)
    {
        using var pairs = new ConnectionPairs(kind);
        EventLoop loop = pairs.Near[0];
        List<(Probe Near, Probe Far)> crowd = await ConnectAsync(pairs, Crowd);
        // For each iteration: how many connections have been flushed, and whether they are the first ones.
        var iterations = new List<(int Backlog, int Sent, bool First)>();
        var over = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        loop.Post(() =>
        {
            crowd.ForEach(pair => pair.Near.Connection.GetWriteBuffer(loop).Write([1]));
            loop.Post(Look);

            void Look()
            {
                int sent = crowd.Count(pair => pair.Near.Connection.SentBytes > 0);
                iterations.Add((loop.FlushBacklog, sent, crowd.Take(sent).All(pair => pair.Near.Connection.SentBytes > 0)));
                if (loop.FlushBacklog > 0)
                {
                    loop.Post(Look);
                }
                else
                {
                    over.SetResult();
                }
            }
        });
        await over.Task.WaitAsync(ConnectionPairs.WaitLimit, Cancellation);
        Assert.InRange(iterations.Count, Crowd / EventLoop.FlushBatchSize, Crowd);
        Assert.All(iterations, iteration => Assert.True(iteration.First && iteration.Backlog + iteration.Sent == Crowd, $"{iteration}"));
        for (int i = 1; i < iterations.Count; i++)
        {
            Assert.InRange(iterations[i].Sent - iterations[i - 1].Sent, 1, EventLoop.FlushBatchSize);
        }

        await Wait.UntilAsync(() => crowd.TrueForAll(pair => pair.Far.Received == 1), Cancellation);
    }

    [Theory]
    [InlineData(TransportKind.InProcess)]
    [InlineData(TransportKind.Portable)]
    [InlineData(TransportKind.Tls)]
    public async Task A_reply_to_the_read_connection_does_not_wait_for_flushes_to_others(TransportKind kind)
    {
        int crowdSize = kind == TransportKind.Tls ? 200 : Crowd;
        using var pairs = new ConnectionPairs(kind);
        EventLoop loop = pairs.Near[0];
        List<(Probe Near, Probe Far)> crowd = await ConnectAsync(pairs, crowdSize);
        int backlog = -1;
        var asked = new Probe
        {
            WhenReceived = (Connection connection, ReadOnlySpan<byte> bytes, ref int _) =>
            {
                crowd.ForEach(pair => pair.Near.Connection.GetWriteBuffer(loop).Write([1]));
                connection.GetWriteBuffer(loop).Write(bytes);
                // In the next iteration.
                loop.Post(() => loop.Post(() => backlog = connection.SentBytes > 0 ? loop.FlushBacklog : 0));
                return bytes.Length;
            },
        };
        var asks = new Probe();
        await pairs.ConnectAsync(asked, asks);
        await asks.WriteAsync(new byte[1]);
        await Wait.UntilAsync(() => asks.Received == 1 && Volatile.Read(ref backlog) >= 0, Cancellation);
        Assert.InRange(backlog, 1, crowdSize);
        await Wait.UntilAsync(() => crowd.TrueForAll(pair => pair.Far.Received == 1), Cancellation);
    }

    [Fact]
    public async Task A_waiting_buffer_can_be_written_to_and_is_sent_at_once_and_in_order()
    {
        using var pairs = new ConnectionPairs(TransportKind.Portable);
        EventLoop loop = pairs.Near[0];
        List<(Probe Near, Probe Far)> crowd = await ConnectAsync(pairs, Crowd);
        byte[][] received = new byte[Crowd][];
        for (int i = 0; i < Crowd; i++)
        {
            int at = i;
            received[i] = [];
            crowd[i].Far.WhenReceived = (Connection _, ReadOnlySpan<byte> bytes, ref int _) =>
            {
                received[at] = [.. received[at], .. bytes];
                return bytes.Length;
            };
        }

        loop.Post(() => Write(0));
        await Wait.UntilAsync(() => crowd.TrueForAll(pair => pair.Far.Received == 200), Cancellation);
        byte[] expected = [.. Enumerable.Range(0, 200).Select(i => (byte)i)];
        Assert.All(received, bytes => Assert.Equal(expected, bytes));
        Assert.Equal(0, await OnLoopAsync(loop, () => loop.FlushBacklog));

        void Write(int number)
        {
            crowd.ForEach(pair => pair.Near.Connection.GetWriteBuffer(loop).Write([(byte)number]));
            if (number < 199)
            {
                loop.Post(() => Write(number + 1));
            }
        }
    }

    [Fact]
    public async Task A_connection_that_closes_with_a_linger_sends_its_waiting_buffer()
    {
        using var pairs = new ConnectionPairs(TransportKind.Portable);
        EventLoop loop = pairs.Near[0];
        List<(Probe Near, Probe Far)> crowd = await ConnectAsync(pairs, Crowd);
        loop.Post(() =>
        {
            crowd.ForEach(pair => pair.Near.Connection.GetWriteBuffer(loop).Write([1, 2, 3]));
            crowd.ForEach(pair => pair.Near.Connection.Close(ConnectionPairs.WaitLimit));
        });
        await Task.WhenAll(crowd.Select(pair => pair.Far.Closed)).WaitAsync(ConnectionPairs.WaitLimit, Cancellation);
        Assert.All(crowd, pair => Assert.Equal(3, pair.Far.Received));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public void While_many_buffers_wait_an_iteration_flushes_few_for_each_yield_and_none_twice(int yielding)
    {
        using var group = new EventLoopGroup(new EventLoopOptions { CallerDriven = true });
        EventLoop loop = group[0];
        loop.Attach();
        List<Connection> crowd = [.. Enumerable.Range(0, Crowd).Select(_ => Link(loop, new Probe()).Near)];
        for (int i = 0; i < yielding; i++)
        {
            Yielding(loop, () => crowd.ForEach(connection => connection.GetWriteBuffer(loop).Write([1])));
        }

        int[] sends = new int[Crowd];
        for (int iteration = 0; sends.Sum() < 3 * Crowd; iteration++)
        {
            long[] before = [.. crowd.Select(connection => connection.SentBytes)];
            loop.RunOnce(TimeSpan.Zero);
            int[] sent = [.. Enumerable.Range(0, Crowd).Where(i => crowd[i].SentBytes != before[i])];
            if (iteration > 3)
            {
                Assert.True(loop.IsBehind);
                Assert.Equal(yielding * FlushScheduler.BatchSizePerYield, sent.Length);
                Array.ForEach(sent, i => sends[i]++);
                // No connection is flushed twice while another one waits.
                Assert.InRange(sends.Max() - sends.Min(), 0, 1);
            }
        }
    }

    [Fact]
    public void Writes_of_other_connections_are_flushed_before_yielded_handlers_continue()
    {
        using var group = new EventLoopGroup(new EventLoopOptions { CallerDriven = true });
        EventLoop loop = group[0];
        loop.Attach();
        Connection other = Link(loop, new Probe()).Near;
        var seen = new List<long>();
        Yielding(loop, () => seen.Add(other.SentBytes));
        for (int iteration = 0; iteration < 5; iteration++)
        {
            loop.RunOnce(TimeSpan.Zero);
        }

        Assert.NotEmpty(seen);
        seen.Clear();
        loop.Post(() => other.GetWriteBuffer(loop).Write([1]));
        loop.RunOnce(TimeSpan.Zero);
        Assert.Equal([1], seen);
    }

    [Fact]
    public void Endless_replies_do_not_delay_buffers_of_earlier_iterations()
    {
        using var group = new EventLoopGroup(new EventLoopOptions { CallerDriven = true });
        EventLoop loop = group[0];
        loop.Attach();
        List<Connection> crowd = [.. Enumerable.Range(0, Crowd).Select(_ => Link(loop, new Probe()).Near)];
        List<Connection> asking = [.. Enumerable.Range(0, 2 * EventLoop.FlushBatchSize).Select(_ => Asking(loop))];
        for (int iteration = 0; iteration < 3; iteration++)
        {
            loop.RunOnce(TimeSpan.Zero);
        }

        loop.Post(() => crowd.ForEach(connection => connection.GetWriteBuffer(loop).Write([1])));
        for (int iteration = 0; iteration < Crowd; iteration++)
        {
            loop.RunOnce(TimeSpan.Zero);
        }

        Assert.All(asking, connection => Assert.InRange(connection.SentBytes, Crowd / 2, long.MaxValue));
        Assert.All(crowd, connection => Assert.Equal(1, connection.SentBytes));
    }

    [Fact]
    public async Task Timers_are_checked_after_an_amount_of_work_and_not_of_iterations()
    {
        using var pairs = new ConnectionPairs(TransportKind.InProcess);
        EventLoop loop = pairs.Near[0];
        List<(Probe Near, Probe Far)> crowd = await ConnectAsync(pairs, 200);
        const int Iterations = 300;
        int iterations = 0;
        int fired = 0;
        var over = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        loop.Post(() =>
        {
            Fire();
            Work();
        });
        await over.Task.WaitAsync(ConnectionPairs.WaitLimit, Cancellation);
        // An iteration flushes a batch of them, which is as much work as there is between two clock reads.
        Assert.InRange(fired, Iterations / 3, int.MaxValue);

        // Due each time the loop reads the clock.
        void Fire()
        {
            fired++;
            loop.StartTimer(TimeSpan.Zero, Fire);
        }

        void Work()
        {
            crowd.ForEach(pair => pair.Near.Connection.GetWriteBuffer(loop).Write([1]));
            if (++iterations < Iterations)
            {
                loop.Post(Work);
            }
            else
            {
                over.SetResult();
            }
        }
    }

    private static (Connection Near, Connection Far) Link(EventLoop loop, Probe near)
    {
        (Connection Near, Connection Far) ends = InProcessLink.Create(loop, near, loop, new Probe());
        // Waits until both are opened; other connections may continue for ever.
        loop.RunOnce(TimeSpan.Zero);
        loop.RunOnce(TimeSpan.Zero);
        return ends;
    }

    // Always has more to do, and does a part of it in each iteration.
    private static void Yielding(EventLoop loop, Action work)
    {
        Connection far = Link(loop, new Probe
        {
            WhenReceived = (Connection connection, ReadOnlySpan<byte> _, ref int _) =>
            {
                work();
                connection.YieldReceiving();
                return 0;
            },
        }).Far;
        loop.Post(() => far.GetWriteBuffer(loop).Write([1]));
    }

    // Writes to its peer in each call, which comes in every iteration.
    private static Connection Asking(EventLoop loop)
    {
        (Connection near, Connection far) = Link(loop, new Probe
        {
            WhenReceived = (Connection connection, ReadOnlySpan<byte> bytes, ref int _) =>
            {
                connection.GetWriteBuffer(loop).Write([1]);
                connection.YieldReceiving();
                return 0;
            },
        });
        loop.Post(() => far.GetWriteBuffer(loop).Write([1]));
        return near;
    }
}
