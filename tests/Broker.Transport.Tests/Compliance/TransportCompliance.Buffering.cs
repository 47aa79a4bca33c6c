namespace Broker.Transport.Tests;

// What is buffered for a peer that does not read, and when the writer is notified that there is space again.
public abstract partial class TransportCompliance
{
    private const int Mebibyte = 1024 * 1024;

    // The last block of the queue, the first block that was sent in part, and a chunk of TLS.
    private const long BlocksAtTheEnds = 320 * 1024;

    // Blocks the far loop until the returned event is set.
    private static async Task<ManualResetEventSlim> StopAsync(EventLoop loop)
    {
        var hold = new ManualResetEventSlim();
        TaskCompletionSource stopped = Signal();
        loop.Post(() =>
        {
            stopped.SetResult();
            hold.Wait(ConnectionPairs.WaitLimit);
            hold.Dispose();
        });
        await Soon(stopped.Task);
        return hold;
    }

    // Writes one message per iteration while the condition is true. Returns the number of bytes.
    private static Task<long> WriteEachTurnAsync(Connection connection, int size, Func<long, bool> whilst)
    {
        var done = new TaskCompletionSource<long>(TaskCreationOptions.RunContinuationsAsynchronously);
        byte[] message = new byte[size];
        long written = 0;
        connection.Loop.Post(Write);
        return Soon(done.Task);

        void Write()
        {
            if (!whilst(written))
            {
                done.SetResult(written);
                return;
            }

            connection.GetWriteBuffer(connection.Loop).Write(message);
            written += message.Length;
            connection.Loop.Post(Write);
        }
    }

    [Theory]
    [InlineData(1)]
    [InlineData(16)]
    [InlineData(2_100)]
    [InlineData(5_000)]
    [InlineData(22_000)]
    [InlineData(40_000)]
    [InlineData(70_000)]
    [InlineData(100_000)]
    public async Task The_queue_of_a_stopped_reader_uses_at_most_twice_its_bytes_and_is_released(int size)
    {
        using var pairs = new ConnectionPairs(Kind);
        var near = new Probe();
        var far = new Probe();
        await pairs.ConnectAsync(near, far);
        Connection connection = near.Connection;
        connection.WriteDeadline = Timeout.InfiniteTimeSpan;
        long before = pairs.Near.BufferedBytes;
        ManualResetEventSlim hold = await StopAsync(pairs.Far[0]);
        // First as much as the transport itself accepts.
        long written = await WriteEachTurnAsync(connection, 100_000, _ => connection.PendingBytes < 100_000);
        long sent = connection.SentBytes;
        int wanted = size == 1 ? 100_000 : 2 * Mebibyte;
        written += await WriteEachTurnAsync(connection, size, soFar => soFar < wanted);
        // Both values are read together on the loop: the kernel may still accept some bytes when its buffers have
        // grown.
        (long pending, long held, long heldByAll) = (0, 0, 0);
        await OnLoopAsync(connection, c => (pending, held, heldByAll) = (c.PendingBytes, c.BufferedBytes, pairs.Near.BufferedBytes - before));
        long queued = Kind == TransportKind.InProcess ? written : pending;
        Assert.InRange(heldByAll, queued, (queued * 2) + BlocksAtTheEnds);
        Assert.InRange(held, pending, (pending * 2) + BlocksAtTheEnds);
        Assert.InRange(pending, 1, written - sent);
        hold.Set();
        await Soon(Wait.UntilAsync(() => far.Received == written, Cancellation));
        await Soon(Wait.UntilAsync(() => pairs.Near.BufferedBytes <= before, Cancellation));
        await Soon(Wait.UntilAsync(() => connection.BufferedBytes == 0 && connection.PendingBytes == 0, Cancellation));
    }

    [Theory]
    [InlineData(20_000, 1_000)]
    [InlineData(10_000_000, 2)]
    public async Task A_peer_that_accepts_a_large_queue_at_once_does_not_delay_other_connections(int size, int count)
    {
        // A chunk of TLS, a flush of a pipe, and two sends in an iteration: one that continues and one because the
        // peer reads.
        long mostPerIteration = (3 * SendShare.BytesPerIteration) + (4 * 64 * 1024);
        if (Kind == TransportKind.InProcess)
        {
            // In-process links pass whole blocks, whatever their size is.
            mostPerIteration += size;
        }

        using var pairs = new ConnectionPairs(Kind);
        var near = new Probe();
        var far = new Probe();
        await pairs.ConnectAsync(near, far);
        Connection connection = near.Connection;
        ManualResetEventSlim hold = await StopAsync(pairs.Far[0]);
        long written = 0;
        long before = 0;
        long most = 0;
        TaskCompletionSource done = Signal();
        connection.Loop.Post(() =>
        {
            byte[] message = new byte[size];
            for (int i = 0; i < count; i++)
            {
                connection.GetWriteBuffer(connection.Loop).Write(message);
                written += size;
            }

            hold.Set();
            before = connection.SentBytes;
            connection.Loop.Post(Look);
        });
        await Soon(done.Task);
        await Soon(Wait.UntilAsync(() => far.Received == written, Cancellation));
        Assert.InRange(most, 1, mostPerIteration);

        void Look()
        {
            long sent = connection.SentBytes;
            most = Math.Max(most, sent - before);
            before = sent;
            if (sent < written)
            {
                connection.Loop.Post(Look);
            }
            else
            {
                done.SetResult();
            }
        }
    }

    [Fact]
    public async Task The_limit_covers_the_memory_of_small_messages_and_later_ones_are_counted_as_unsent()
    {
        const int Size = 10;
        using var pairs = new ConnectionPairs(Kind);
        OutboundCount unsent = default;
        long sent = 0;
        long held = 0;
        var near = new Probe
        {
            WhenClosed = connection =>
            {
                unsent = connection.CountUnsent();
                sent = connection.SentBytes;
                held = pairs.Near.BufferedBytes;
            },
        };
        await pairs.ConnectAsync(near, new Probe());
        Connection connection = near.Connection;
        connection.Framing = new Sized(Size);
        connection.WriteDeadline = Timeout.InfiniteTimeSpan;
        connection.MaxPendingBytes = Mebibyte;
        long before = pairs.Near.BufferedBytes;
        ManualResetEventSlim hold = await StopAsync(pairs.Far[0]);
        long written = await WriteEachTurnAsync(connection, Size * 5_000, _ => connection.PendingBytes < 100_000);
        written += await WriteEachTurnAsync(connection, Size, _ => connection.BufferedBytes < Mebibyte - 10_000);
        long waits = connection.PendingBytes;
        TaskCompletionSource done = Signal();
        connection.Loop.Post(() =>
        {
            // In one iteration, so that the close because of the limit cannot come in between.
            for (int i = 0; i < 10; i++)
            {
                connection.ExternalWriteBuffer.Write(new byte[20_000]);
                connection.FlushExternal();
            }

            done.SetResult();
        });
        await Soon(done.Task);
        written += 200_000;
        Assert.Equal(CloseReason.QueueFull, await Soon(near.Closed));
        Assert.InRange(waits, Mebibyte / 2, Mebibyte);
        Assert.InRange(held - before, 0, (Kind == TransportKind.InProcess ? 2 * Mebibyte : Mebibyte) + BlocksAtTheEnds + 40_000);
        Assert.Equal(written, sent + unsent.Bytes);
        Assert.Equal((unsent.Bytes + Size - 1) / Size, unsent.Messages);
        hold.Set();
        await Soon(Wait.UntilAsync(() => pairs.Near.BufferedBytes <= before, Cancellation));
    }

    [Fact]
    public async Task OnLowWater_is_called_once_each_time_the_queue_falls_to_its_mark()
    {
        using var pairs = new ConnectionPairs(Kind);
        int told = 0;
        long heldWhenTold = -1;
        bool onLoop = true;
        var near = new Probe
        {
            WhenLowWater = connection =>
            {
                told++;
                heldWhenTold = connection.BufferedBytes;
                onLoop &= connection.Loop.IsCurrent;
            },
        };
        var far = new Probe();
        await pairs.ConnectAsync(near, far);
        Connection connection = near.Connection;
        connection.WriteDeadline = Timeout.InfiniteTimeSpan;
        connection.LowWaterBytes = Mebibyte;
        long written = 0;
        for (int round = 0; round < 5; round++)
        {
            ManualResetEventSlim hold = await StopAsync(pairs.Far[0]);
            written += await WriteEachTurnAsync(connection, 50_000, _ => connection.PendingBytes < 3 * Mebibyte);
            // The kernel accepted parts while this was written, and these may have caused callbacks.
            await near.WriteAsync(new byte[1]);
            written++;
            int toldBefore = told;
            hold.Set();
            await Soon(Wait.UntilAsync(() => far.Received == written, Cancellation));
            // An iteration later no further callback can come.
            await Soon(Wait.UntilAsync(() => connection.BufferedBytes == 0, Cancellation));
            await near.WriteAsync(default);
            Assert.Equal(toldBefore + 1, told);
            Assert.InRange(heldWhenTold, 0, Mebibyte);
        }

        Assert.True(onLoop);
    }

    [Fact]
    public async Task A_requested_OnLowWater_is_always_called()
    {
        using var pairs = new ConnectionPairs(Kind);
        int told = 0;
        var near = new Probe { WhenLowWater = _ => Interlocked.Increment(ref told) };
        await pairs.ConnectAsync(near, new Probe());
        Connection connection = near.Connection;
        connection.WriteDeadline = Timeout.InfiniteTimeSpan;
        // Nothing waits: the callback comes at once.
        connection.RequestLowWater();
        await Soon(Wait.UntilAsync(() => Volatile.Read(ref told) == 1, Cancellation));
        // Less than the mark waits: the callback comes when nothing waits any more.
        connection.LowWaterBytes = 32 * Mebibyte;
        ManualResetEventSlim hold = await StopAsync(pairs.Far[0]);
        // Far more than the kernel accepts later, when its buffers have grown.
        await WriteEachTurnAsync(connection, 100_000, _ => connection.PendingBytes < 16 * Mebibyte);
        connection.RequestLowWater();
        connection.RequestLowWater();
        await near.WriteAsync(new byte[1]);
        Assert.Equal(1, Volatile.Read(ref told));
        hold.Set();
        await Soon(Wait.UntilAsync(() => Volatile.Read(ref told) == 2, Cancellation));
        await Soon(Wait.UntilAsync(() => connection.BufferedBytes == 0, Cancellation));
        await near.WriteAsync(default);
        Assert.Equal(2, Volatile.Read(ref told));
    }

    [Fact]
    public async Task A_thread_that_waits_for_space_in_the_queue_writes_everything()
    {
        const int Size = 1_000;
        const int Limit = 64 * 1024;
        const long All = 20L * Mebibyte;
        using var pairs = new ConnectionPairs(Kind);
        using var room = new SemaphoreSlim(0);
        var near = new Probe { WhenLowWater = _ => room.Release() };
        var far = new Probe();
        await pairs.ConnectAsync(near, far);
        Connection connection = near.Connection;
        connection.WriteDeadline = Timeout.InfiniteTimeSpan;
        connection.LowWaterBytes = Limit / 2;
        long written = 0;
        bool lost = false;
        var writing = new Thread(() =>
        {
            byte[] message = new byte[Size];
            while (written < All && !lost)
            {
                if (connection.BufferedBytes + connection.ExternalWriteBuffer.Length + Size > Limit)
                {
                    connection.FlushExternal();
                    connection.RequestLowWater();
                    lost = !room.Wait(ConnectionPairs.WaitLimit);
                    continue;
                }

                connection.ExternalWriteBuffer.Write(message);
                written += Size;
                if (written / Size % 7 == 0)
                {
                    connection.FlushExternal();
                }
            }

            connection.FlushExternal();
        });
        writing.Start();
        await Task.Run(writing.Join, Cancellation);
        Assert.False(lost);
        await Soon(Wait.UntilAsync(() => far.Received == written, Cancellation));
    }

    // A handler of a message of many parts learns the size of each part only when it has the part before.
    [Fact]
    public async Task A_handler_that_needs_one_small_part_after_another_costs_a_few_copies_of_each_byte()
    {
        using var pairs = new ConnectionPairs(Kind);
        const int Size = 4_000_000;
        const int Part = 1_000;
        TaskCompletionSource whole = Signal();
        var far = new Probe
        {
            WhenReceived = (Connection _, ReadOnlySpan<byte> bytes, ref int needed) =>
            {
                if (bytes.Length == Size)
                {
                    whole.SetResult();
                    return Size;
                }

                needed = Math.Min(((bytes.Length / Part) + 1) * Part, Size);
                return 0;
            },
        };
        var near = new Probe();
        await pairs.ConnectAsync(near, far);
        await near.WriteAsync(new byte[Size]);

        await Soon(whole.Task);
        long moved = 0;
        await OnLoopAsync(far.Connection, connection => moved = connection.Loop.BytesMoved);
        Assert.InRange(moved, 0, 8L * Size);
    }
}
