namespace Broker.Transport.Tests;

/// <summary>Tests that objects of a loop reject other threads, in release builds too.</summary>
public sealed class ThreadTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    private sealed class Tally : ConnectionHandler
    {
        private long _discarded;

        public long Discarded => Volatile.Read(ref _discarded);

        public override int OnReceived(Connection connection, ReadOnlySpan<byte> bytes, ref int needed) => bytes.Length;

        public override void OnDiscarded(Connection connection, ReadOnlySpan<byte> written) => Interlocked.Add(ref _discarded, written.Length);

        public override void OnClosed(Connection connection, CloseReason reason, Exception? error)
        {
        }
    }

    private static Task OnLoop(EventLoop loop, Action action)
    {
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        loop.Post(() =>
        {
            try
            {
                action();
                done.SetResult();
            }
            catch (Exception e)
            {
                done.SetException(e);
            }
        });
        return done.Task.WaitAsync(ConnectionPairs.WaitLimit, Cancellation);
    }

    [Fact]
    public async Task A_write_buffer_and_a_timer_reject_other_threads()
    {
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 2, ThreadName = "mine" });
        (Connection a, _) = InProcessLink.Create(group[0], new Tally(), group[0], new Tally());
        InvalidOperationException e = Assert.Throws<InvalidOperationException>(() => a.GetWriteBuffer(group[0]));
        Assert.Contains("mine 0", e.Message, StringComparison.Ordinal);
        Assert.Throws<InvalidOperationException>(() => group[0].StartTimer(TimeSpan.Zero, () => { }));
        LoopWriteBuffer? buffer = null;
        await OnLoop(group[0], () => buffer = a.GetWriteBuffer(group[0]));
        Assert.Throws<InvalidOperationException>(() => buffer!.GetSpan(1));
        Assert.Throws<InvalidOperationException>(() => a.GetWriteBuffer(group[0]).Write([1]));
        await OnLoop(group[1], () => Assert.Throws<InvalidOperationException>(() => a.GetWriteBuffer(group[0]).Write([1])));
        // The rejected calls have damaged nothing.
        await OnLoop(group[0], () => a.GetWriteBuffer(group[0]).Write([1]));
    }

    [Fact]
    public async Task Bytes_written_for_a_closed_connection_are_reported_as_discarded()
    {
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        var tally = new Tally();
        (Connection a, _) = InProcessLink.Create(group[0], tally, group[0], new Tally());
        await OnLoop(group[0], () =>
        {
            a.GetWriteBuffer(group[0]).Write(new byte[7]);
            a.Close();
        });
        await OnLoop(group[0], () => { });
        Assert.Equal(7, tally.Discarded);
        a.ExternalWriteBuffer.Write(new byte[5]);
        a.FlushExternal();
        Assert.Equal(12, tally.Discarded);
    }
}
