using Broker.Testing;

namespace Broker.Transport.Tests;

public abstract partial class TransportCompliance
{
    [Fact]
    public async Task Closing_with_a_linger_delivers_everything_and_then_the_end_of_the_stream()
    {
        using var pairs = new ConnectionPairs(Kind);
        byte[] sent = Pattern(9_000_000);
        (Probe far, Task<byte[]> all) = Collector(sent.Length);
        var near = new Probe();
        await pairs.ConnectAsync(near, far);
        await near.WriteAsync(sent, connection => connection.Close(ConnectionPairs.WaitLimit));
        Assert.Equal(CloseReason.Peer, await Soon(far.Closed));
        Assert.Equal(sent, await Soon(all));
        Assert.Equal(CloseReason.Local, await Soon(near.Closed));
    }

    [Fact]
    public async Task Closing_with_a_linger_delivers_everything_while_the_peer_floods()
    {
        // The clock stands still: a flooding peer is waited for one second, in which this test need not get a
        // processor.
        using var pairs = new ConnectionPairs(Kind, time: new VirtualTime());
        byte[] sent = Pattern(3_000_000);
        (Probe far, Task<byte[]> all) = Collector(sent.Length);
        var near = new Probe();
        await pairs.ConnectAsync(near, far);
        Connection flooding = far.Connection;
        byte[] junk = new byte[50_000];
        flooding.Loop.Post(Flood);
        await near.WriteAsync(sent, connection => connection.Close(ConnectionPairs.WaitLimit));
        Assert.Equal(CloseReason.Peer, await Soon(far.Closed));
        Assert.Equal(sent, await Soon(all));
        Assert.Equal(CloseReason.Local, await Soon(near.Closed));

        void Flood()
        {
            if (flooding.IsOpen)
            {
                if (flooding.PendingBytes < 1_000_000)
                {
                    flooding.GetWriteBuffer(flooding.Loop).Write(junk);
                }

                flooding.Loop.Post(Flood);
            }
        }
    }

    [Fact]
    public async Task Closing_unread_delivers_everything_and_leaves_the_peers_unsent_bytes_with_the_peer()
    {
        using var pairs = new ConnectionPairs(Kind);
        var unsent = new TaskCompletionSource<long>(TaskCreationOptions.RunContinuationsAsynchronously);
        var far = new Probe
        {
            WhenReceived = (Connection connection, ReadOnlySpan<byte> bytes, ref int needed) =>
            {
                needed = 3;
                if (bytes.Length == 3)
                {
                    unsent.TrySetResult(connection.PendingBytes);
                    connection.Close();
                }

                return bytes.Length == 3 ? 3 : 0;
            },
        };
        var near = new Probe();
        await pairs.ConnectAsync(near, far);
        await OnLoopAsync(near.Connection, connection => connection.PauseReceiving());
        for (int i = 0; i < 20; i++)
        {
            await far.WriteAsync(Pattern(1_000_000));
        }

        await near.WriteAsync((byte[])[1, 2, 3], connection => connection.CloseUnread(ConnectionPairs.WaitLimit));
        Assert.InRange(await Soon(unsent.Task), 1, 20_000_000);
        Assert.Equal(CloseReason.Local, await Soon(near.Closed));
        Assert.Equal(0, near.Received);
    }

    [Fact]
    public async Task A_linger_survives_what_other_loops_and_threads_write_later()
    {
        using var pairs = new ConnectionPairs(Kind, nearLoops: 2);
        byte[] sent = Pattern(3_000_000);
        (Probe far, Task<byte[]> all) = Collector(sent.Length);
        using var hold = new ManualResetEventSlim();
        var near = new Probe();
        await pairs.ConnectAsync(near, far, pairs.Near[0]);
        pairs.Far[0].Post(() => hold.Wait(ConnectionPairs.WaitLimit));
        Connection connection = near.Connection;
        await near.WriteAsync(sent, c => c.Close(ConnectionPairs.WaitLimit));
        TaskCompletionSource wrote = Signal();
        pairs.Near[1].Post(() =>
        {
            connection.GetWriteBuffer(pairs.Near[1]).Write(new byte[100]);
            pairs.Near[1].Post(wrote.SetResult);
        });
        connection.ExternalWriteBuffer.Write(new byte[100]);
        connection.FlushExternal();
        await Soon(wrote.Task);
        hold.Set();
        Assert.Equal(CloseReason.Peer, await Soon(far.Closed));
        Assert.Equal(sent, await Soon(all));
        Assert.Equal(sent.Length, far.Received);
        Assert.Equal(CloseReason.Local, await Soon(near.Closed));
    }

    [Fact]
    public async Task Bytes_that_another_loop_wrote_before_it_closed_with_a_linger_are_delivered()
    {
        using var pairs = new ConnectionPairs(Kind, nearLoops: 2);
        for (int i = 0; i < 200; i++)
        {
            (Probe far, Task<byte[]> all) = Collector(7);
            var near = new Probe();
            await pairs.ConnectAsync(near, far, pairs.Near[0]);
            pairs.Near[1].Post(() =>
            {
                near.Connection.GetWriteBuffer(pairs.Near[1]).Write(new byte[7]);
                near.Connection.Close(ConnectionPairs.WaitLimit);
                Thread.Yield();
            });
            Assert.Equal(CloseReason.Peer, await Soon(far.Closed));
            await Soon(all);
        }
    }

    [Fact]
    public async Task Closing_without_a_linger_ends_both_sides_at_once()
    {
        using var pairs = new ConnectionPairs(Kind);
        var near = new Probe();
        var far = new Probe();
        await pairs.ConnectAsync(near, far);
        near.Connection.Close();
        Assert.Equal(CloseReason.Local, await Soon(near.Closed));
        await Soon(far.Closed);
        Assert.False(near.Connection.IsOpen);
        // Discarded without an error.
        near.Connection.ExternalWriteBuffer.Write(new byte[10]);
        near.Connection.FlushExternal();
        near.Connection.Close();
        Assert.Equal(0, near.Connection.PendingBytes);
    }

    [Fact]
    public async Task A_linger_ends_after_its_time_if_the_peer_does_not_read()
    {
        using var pairs = new ConnectionPairs(Kind);
        using var hold = new ManualResetEventSlim();
        var near = new Probe();
        await pairs.ConnectAsync(near, new Probe());
        pairs.Far[0].Post(() => hold.Wait(ConnectionPairs.WaitLimit));
        for (int i = 0; i < 20; i++)
        {
            await near.WriteAsync(new byte[1_000_000]);
        }

        near.Connection.Close(TimeSpan.FromMilliseconds(50));
        Assert.Equal(CloseReason.Local, await Soon(near.Closed));
        hold.Set();
    }

    // A handler counts in OnClosed what was not sent, or sends it elsewhere, so the queue is not dropped before.
    [Fact]
    public async Task The_queue_can_be_counted_in_OnClosed_and_its_memory_is_released_afterwards()
    {
        using var pairs = new ConnectionPairs(Kind);
        long unsent = 0;
        long held = 0;
        var near = new Probe
        {
            WhenClosed = connection =>
            {
                unsent = connection.CountUnsent().Bytes;
                held = pairs.Near.BufferedBytes;
            },
        };
        await pairs.ConnectAsync(near, new Probe());
        Connection connection = near.Connection;
        connection.WriteDeadline = Timeout.InfiniteTimeSpan;
        ManualResetEventSlim hold = await StopAsync(pairs.Far[0]);
        await WriteEachTurnAsync(connection, 100_000, _ => connection.PendingBytes < 2 * Mebibyte);
        connection.Close();
        await Soon(near.Closed);
        Assert.InRange(unsent, 1, held);

        // The peer still accepts nothing.
        await Soon(Wait.UntilAsync(() => pairs.Near.BufferedBytes <= held - unsent, Cancellation));
        hold.Set();
    }

    [Fact]
    public async Task A_handler_may_close_in_any_callback()
    {
        using var pairs = new ConnectionPairs(Kind);
        for (int i = 0; i < 300; i++)
        {
            TimeSpan linger = i % 2 == 0 ? TimeSpan.Zero : TimeSpan.FromSeconds(5);
            var opened = new Probe { WhenOpened = connection => connection.Close(linger) };
            var near = new Probe { WhenClosed = connection => connection.Close(linger) };
            await pairs.ConnectAsync(near, opened);
            await Soon(near.Closed);
            await Soon(opened.Closed);
            Assert.Null(opened.Error);
        }
    }

    [Fact]
    public async Task Both_sides_may_close_at_any_moment_and_each_gets_OnClosed_once()
    {
        int rounds = IsTls ? 1_000 : 10_000;
        var faults = new List<Exception>();
        using var pairs = new ConnectionPairs(Kind, nearLoops: 2, farLoops: 2, onFault: fault =>
        {
            lock (faults)
            {
                faults.Add(fault);
            }
        });
        var random = new Random(Seed.Next());
        var probes = new List<Probe>();
        int descriptors = 0;
        for (int i = 0; i < rounds; i++)
        {
            if (i == 200)
            {
                await AllClosedAsync();
                descriptors = ProcessFacts.Descriptors();
            }

            Probe near = Echo();
            var far = new Probe();
            await pairs.ConnectAsync(near, far);
            probes.Add(near);
            probes.Add(far);
            Connection a = near.Connection;
            Connection b = far.Connection;
            int choice = random.Next(8);
            EventLoop other = pairs.Near[random.Next(2)];
            other.Post(() =>
            {
                a.GetWriteBuffer(other).Write(new byte[100]);
                if ((choice & 4) != 0)
                {
                    a.Close(TimeSpan.FromSeconds(choice & 1));
                }
            });
            b.ExternalWriteBuffer.Write(new byte[1000]);
            b.FlushExternal();
            b.Close(TimeSpan.FromSeconds(choice & 2));
            if ((choice & 1) != 0)
            {
                a.Close();
            }
        }

        await AllClosedAsync();
        Assert.All(probes, probe => Assert.Equal(1, probe.Closings));
        Assert.All(probes, probe => Assert.Null(probe.Error));
        Assert.Empty(faults);
        await Soon(Wait.UntilAsync(() => ProcessFacts.Descriptors() <= descriptors + 20, Cancellation));

        async Task AllClosedAsync()
        {
            foreach (Probe probe in probes)
            {
                await Soon(probe.Closed);
            }
        }
    }

    [Fact]
    public async Task Disposing_the_groups_closes_everything_and_leaks_nothing()
    {
        // The runtime's one-time threads for sockets are started before the count.
        using (var warm = new ConnectionPairs(Kind))
        {
            await warm.ConnectAsync(Echo(), Echo());
        }

        int descriptors = ProcessFacts.Descriptors();
        for (int round = 0; round < 20; round++)
        {
            var probes = new List<Probe>();
            using (var pairs = new ConnectionPairs(Kind, nearLoops: 2, farLoops: 2))
            {
                for (int i = 0; i < 20; i++)
                {
                    Probe near = Echo();
                    Probe far = Echo();
                    await pairs.ConnectAsync(near, far);
                    // They reply to each other for ever.
                    await near.WriteAsync(new byte[1 + (i * 1000)]);
                    probes.Add(near);
                    probes.Add(far);
                }

                using var dialling = new CancellationTokenSource();
                Task late = Kind == TransportKind.InProcess ? Task.CompletedTask : DialOnAsync(pairs, dialling.Token);
                pairs.Near.Dispose();
                pairs.Far.Dispose();
                await dialling.CancelAsync();
                await Soon(late);
            }

            foreach (Probe probe in probes)
            {
                await Soon(probe.Closed);
                Assert.Equal(1, probe.Closings);
            }
        }

        await Soon(Wait.UntilAsync(() => ProcessFacts.Descriptors() <= descriptors + 4, Cancellation));
        await Soon(Wait.UntilAsync(() => ProcessFacts.ThreadsNamed("near ") + ProcessFacts.ThreadsNamed("far ") == 0, Cancellation));

        static async Task DialOnAsync(ConnectionPairs pairs, CancellationToken stop)
        {
            while (!stop.IsCancellationRequested)
            {
                try
                {
                    await pairs.ConnectAsync(new Probe(), new Probe()).WaitAsync(stop);
                }
                catch (Exception e) when (e is ObjectDisposedException or OperationCanceledException or System.Net.Sockets.SocketException)
                {
                    return;
                }
            }
        }
    }
}
