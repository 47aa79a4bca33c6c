using System.Net;
using System.Net.Sockets;

namespace Broker.Transport.Tests;

public sealed class PacingTests
{
    private const int Pause = 500;
    private const int Full = 64 * 1024;

    private readonly Pacing _pacing = new(Pause);
    private Pacing.Pace _bulk;
    private Pacing.Pace _quiet;

    private void ReadBulk() => _pacing.CountRead(ref _bulk, Full, more: true, hasReplies: true);

    private void ReadInteractive() => _pacing.CountRead(ref _quiet, 40, more: false, hasReplies: true);

    private void Look(int times = 1)
    {
        for (int i = 0; i < times; i++)
        {
            _pacing.CountPoll();
        }
    }

    [Fact]
    public void Bulk_alone_is_read_at_once()
    {
        ReadBulk();
        Assert.False(_pacing.ShouldDefer(_bulk));
        Look();
        ReadBulk();
        Assert.False(_pacing.ShouldDefer(_bulk));
    }

    [Fact]
    public void Bulk_beside_interactive_connections_waits_its_pause_and_no_longer()
    {
        ReadInteractive();
        ReadBulk();
        Look(Pause - 1);
        Assert.True(_pacing.ShouldDefer(_bulk));
        Look();
        Assert.False(_pacing.ShouldDefer(_bulk));
    }

    [Theory]
    [InlineData(0, 0)]
    [InlineData(Pacing.MessagesPerPoll - 1, 0)]
    [InlineData(10 * Pacing.MessagesPerPoll, 10)]
    [InlineData(2 * Pause * Pacing.MessagesPerPoll, Pause)]
    public void Bulk_of_few_messages_waits_shorter(int messages, int looks)
    {
        ReadInteractive();
        _pacing.CountRead(ref _bulk, Full, more: true, hasReplies: true, messages);
        Assert.Equal(looks != 0, _pacing.ShouldDefer(_bulk));
        Look(looks);
        Assert.False(_pacing.ShouldDefer(_bulk));
    }

    [Fact]
    public void A_part_of_a_message_does_not_count_as_a_message()
    {
        ReadInteractive();
        _pacing.CountRead(ref _bulk, Full, more: true, hasReplies: true, 1);
        ReadBulk();
        Assert.False(_pacing.ShouldDefer(_bulk));
    }

    [Fact]
    public void Bulk_waits_for_an_interactive_connection_that_is_read_after_it()
    {
        ReadBulk();
        ReadInteractive();
        Assert.True(_pacing.ShouldDefer(_bulk));
    }

    [Fact]
    public void Reads_of_others_shorten_the_pause()
    {
        ReadBulk();
        for (int i = 0; i < (Pause / Pacing.PollsPerRead) - 1; i++)
        {
            ReadInteractive();
            Assert.True(_pacing.ShouldDefer(_bulk));
        }

        ReadInteractive();
        Assert.False(_pacing.ShouldDefer(_bulk));
    }

    [Fact]
    public void Interactive_connections_are_forgotten_after_a_while()
    {
        ReadInteractive();
        Look(Pacing.InteractivePolls - Pacing.PollsPerRead - 1);
        ReadBulk();
        Assert.True(_pacing.ShouldDefer(_bulk));
        Look();
        Assert.False(_pacing.ShouldDefer(_bulk));
    }

    [Fact]
    public void A_connection_that_reads_bulk_once_does_not_wait_for_itself()
    {
        ReadInteractive();
        _pacing.CountRead(ref _quiet, Full, more: true, hasReplies: true);
        Assert.False(_pacing.ShouldDefer(_quiet));
        Assert.False(_pacing.OthersAreInteractive(_quiet));
        Assert.True(_pacing.OthersAreInteractive(_bulk));
    }

    [Fact]
    public void Interactive_connections_never_wait()
    {
        ReadBulk();
        ReadInteractive();
        var other = default(Pacing.Pace);
        _pacing.CountRead(ref other, 40, more: false, hasReplies: true);
        Assert.False(_pacing.ShouldDefer(_quiet));
        Assert.False(_pacing.ShouldDefer(other));
    }

    [Theory]
    [InlineData(Pacing.MaxInteractiveBytes, true, true)]
    [InlineData(Pacing.MaxInteractiveBytes + 1, true, false)]
    [InlineData(10, false, false)]
    public void Small_reads_are_interactive_if_they_cause_replies(long bytes, bool answered, bool quiet)
    {
        _pacing.CountRead(ref _quiet, bytes, more: false, answered);
        Assert.Equal(quiet, _pacing.OthersAreInteractive(_bulk));
    }

    [Fact]
    public void A_loop_does_not_poll_after_bulk()
    {
        Assert.True(_pacing.ShouldPoll);
        _pacing.CountRead(ref _bulk, Pacing.MinBulkBytes, more: false, hasReplies: true);
        Look();
        Assert.False(_pacing.ShouldPoll);
        _pacing.BeginReads();
        Assert.True(_pacing.ShouldPoll);
        _pacing.CountRead(ref _bulk, Pacing.MinBulkBytes - 1, more: false, hasReplies: true);
        Assert.True(_pacing.ShouldPoll);
    }

    [Fact]
    public void A_loop_polls_after_bulk_if_an_interactive_connection_waits()
    {
        ReadInteractive();
        Look();
        ReadBulk();
        Assert.True(_pacing.ShouldPoll);
    }

    [Theory]
    [InlineData(100, true)]
    [InlineData(60_000, false)]
    public async Task After_bulk_a_loop_sleeps_and_after_a_small_read_it_polls(int size, bool looks)
    {
        const int FewLooks = 1_000;
        long last = 0, looksThen = 0;
        var probe = new Probe
        {
            WhenReceived = (Connection connection, ReadOnlySpan<byte> bytes, ref int _) =>
            {
                last = bytes.Length;
                looksThen = connection.Loop.Pacing.Polls;
                return bytes.Length;
            },
        };
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1, IdlePolls = 50_000 });
        using var listener = Listener.Start(group, new IPEndPoint(IPAddress.Loopback, 0), (_, _) => probe);
        using Socket socket = await ConnectAsync(listener, probe);
        // The kernel may deliver the bytes in parts, and then a read is not always bulk.
        for (int received = 0; last != size; received += size)
        {
            last = 0;
            socket.Send(new byte[size]);
            await Wait.UntilAsync(() => probe.Received >= received + size, TestContext.Current.CancellationToken)
                .WaitAsync(ConnectionPairs.WaitLimit, TestContext.Current.CancellationToken);
        }

        long before = looksThen;
        async Task<bool> HasLookedAsync()
        {
            var counted = new TaskCompletionSource<long>(TaskCreationOptions.RunContinuationsAsynchronously);
            group[0].Post(() => counted.SetResult(group[0].Pacing.Polls));
            return await counted.Task.WaitAsync(ConnectionPairs.WaitLimit, TestContext.Current.CancellationToken) - before > FewLooks;
        }

        if (looks)
        {
            await Wait.UntilAsync(HasLookedAsync, "it looks for more");
            return;
        }

        await Task.Delay(200, TestContext.Current.CancellationToken);
        Assert.False(await HasLookedAsync());
    }

    [Fact]
    public void Without_a_pause_bulk_never_waits()
    {
        var pacing = new Pacing(0);
        pacing.CountRead(ref _quiet, 40, more: false, hasReplies: true);
        pacing.CountRead(ref _bulk, Full, more: true, hasReplies: true);
        Assert.False(pacing.ShouldDefer(_bulk));
    }

    [Theory]
    [InlineData(1, true)]
    [InlineData(3, true)]
    [InlineData(4, false)]
    public void Bulk_pauses_where_processors_are_few(int processors, bool pauses)
        => Assert.Equal(pauses, Pacing.DefaultPauseFor(processors) > 0);

    [Fact]
    public void A_negative_pause_is_refused()
        => Assert.Throws<ArgumentOutOfRangeException>(() => new EventLoopGroup(new EventLoopOptions { BulkPause = -1 }));

    // The pollers ask whether to defer, and report a deferred connection again.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_flood_beside_requests_waits_its_pauses_and_arrives_completely(bool portable)
    {
        const int Flooded = 48 * 1024 * 1024;
        const int FewestRequests = 200;
        long early = 0, paused = 0, received = 0, expected = -1;
        var flood = new Probe
        {
            WhenReceived = (Connection connection, ReadOnlySpan<byte> bytes, ref int _) =>
            {
                // The state just before this read.
                Pacing pacing = connection.Loop.Pacing;
                if (expected >= 0 && pacing.OthersAreInteractive(new Pacing.Pace { LastInteractive = -1 }))
                {
                    early += pacing.Polls - expected < Pause ? 1 : 0;
                    paused++;
                }

                // The state after this read is counted. Beside interactive connections this is the only read of its
                // call, and a full read means that there is more. Otherwise the next read of the same call may find
                // nothing, and then there is no pause to keep.
                bool isOnlyRead = pacing.OthersAreInteractive(new Pacing.Pace { LastInteractive = -1 });
                expected = bytes.Length == Full && isOnlyRead ? pacing.Polls + Pacing.PollsPerRead : -1;
                Volatile.Write(ref received, received + bytes.Length);
                return bytes.Length;
            },
        };
        var echo = new Probe
        {
            WhenReceived = static (Connection connection, ReadOnlySpan<byte> bytes, ref int _) =>
            {
                connection.GetWriteBuffer(connection.Loop).Write(bytes);
                return bytes.Length;
            },
        };
        var probes = new Queue<Probe>([flood, echo]);
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1, BulkPause = Pause, ReceiveBufferSize = Full, ForcePortable = portable });
        using var listener = Listener.Start(group, new IPEndPoint(IPAddress.Loopback, 0), (_, _) => probes.Dequeue());
        using Socket flooder = await ConnectAsync(listener, flood);
        using Socket requester = await ConnectAsync(listener, echo);
        bool enough = false;
        long flooded = 0;
        var thread = new Thread(() =>
        {
            byte[] block = new byte[1024 * 1024];
            for (; flooded < Flooded || !Volatile.Read(ref enough); flooded += block.Length)
            {
                flooder.Send(block);
            }
        });
        thread.Start();
        // Both at a time: the flood continues until some of it has come beside requests, however late these get a
        // processor.
        long end = Environment.TickCount64 + (long)ConnectionPairs.WaitLimit.TotalMilliseconds;
        int requests = 0;
        for (byte[] one = [1]; requests < FewestRequests || Volatile.Read(ref paused) == 0 || Volatile.Read(ref received) < Flooded; requests++)
        {
            requester.Send(one);
            Assert.Equal(1, requester.Receive(one));
            if (Environment.TickCount64 > end)
            {
                break;
            }
        }

        Volatile.Write(ref enough, true);
        thread.Join();
        Assert.True(Volatile.Read(ref paused) > 0, "no read of the flood came while others were quiet");
        await Wait.UntilAsync(() => Volatile.Read(ref received) >= flooded, TestContext.Current.CancellationToken);
        Assert.Equal(flooded, received);
        Assert.Equal(0, early);
    }

    private static async Task<Socket> ConnectAsync(Listener listener, Probe probe)
    {
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { ReceiveTimeout = (int)ConnectionPairs.WaitLimit.TotalMilliseconds, SendTimeout = (int)ConnectionPairs.WaitLimit.TotalMilliseconds };
        await socket.ConnectAsync(listener.EndPoint);
        await probe.Opened.WaitAsync(ConnectionPairs.WaitLimit, TestContext.Current.CancellationToken);
        return socket;
    }
}
