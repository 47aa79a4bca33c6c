using System.IO.Pipelines;

namespace Broker.Transport.Tests.Outbound;

/// <summary>
/// Tests connections that close at moments that only a pipe can produce: within a send, within a shutdown, and before
/// the opening.
/// </summary>
public sealed class OwnershipTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    private static Task Soon(Task task) => task.WaitAsync(ConnectionPairs.WaitLimit, Cancellation);

    private static Task<T> Soon<T>(Task<T> task) => task.WaitAsync(ConnectionPairs.WaitLimit, Cancellation);

    // Runs the action on the thread that flushes the pipe, within the flush.
    private static async Task OnFirstReadAsync(DuplexPipe far, Action action)
    {
        await far.Input.ReadAsync(Cancellation).ConfigureAwait(false);
        action();
    }

    [Fact]
    public async Task A_reader_within_the_send_of_the_loop_may_close_the_connection()
    {
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        (DuplexPipe near, DuplexPipe far) = DuplexPipe.Create();
        var probe = new Probe();
        PipeLink.Open(group[0], near, probe);
        await Soon(probe.Opened);
        bool within = false;
        Task reading = OnFirstReadAsync(far, () =>
        {
            within = group[0].IsCurrent;
            probe.Connection.Close();
        });
        await probe.WriteAsync(new byte[100]);
        await Soon(reading);
        Assert.True(within);
        Assert.Equal(CloseReason.Local, await Soon(probe.Closed));
        Assert.Equal(100, probe.Connection.SentBytes);
        Assert.Equal(1, probe.Closings);
    }

    [Fact]
    public async Task A_reader_within_the_send_of_a_thread_may_dispose_the_group()
    {
        var group = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        (DuplexPipe near, DuplexPipe far) = DuplexPipe.Create();
        OutboundCount unsent = default;
        var probe = new Probe { WhenClosed = connection => unsent = connection.CountUnsent() };
        PipeLink.Open(group[0], near, probe);
        await Soon(probe.Opened);
        Task reading = OnFirstReadAsync(far, group.Dispose);
        var writing = new Thread(() =>
        {
            probe.Connection.ExternalWriteBuffer.Write(new byte[100]);
            probe.Connection.FlushExternal();
        })
        { IsBackground = true };
        writing.Start();
        Assert.Equal(CloseReason.Shutdown, await Soon(probe.Closed));
        writing.Join();
        await Soon(reading);
        Assert.Equal((100, 0, 1), (probe.Connection.SentBytes, unsent.Bytes, probe.Closings));
        Assert.Equal(0, group.BufferedBytes);
    }

    [Fact]
    public async Task A_close_while_another_thread_sends_counts_what_that_thread_did_not_send()
    {
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        (DuplexPipe near, DuplexPipe far) = DuplexPipe.Create();
        OutboundCount unsent = default;
        long sent = 0;
        var probe = new Probe
        {
            WhenClosed = connection =>
            {
                unsent = connection.CountUnsent();
                sent = connection.SentBytes;
            },
        };
        PipeLink.Open(group[0], near, probe);
        await Soon(probe.Opened);
        using var closing = new ManualResetEventSlim();
        Task reading = OnFirstReadAsync(far, () =>
        {
            probe.Connection.Close();
            group[0].Post(closing.Set);
            closing.Wait(ConnectionPairs.WaitLimit);
        });
        var writing = new Thread(() =>
        {
            probe.Connection.ExternalWriteBuffer.Write(new byte[1_000_000]);
            probe.Connection.FlushExternal();
        })
        { IsBackground = true };
        writing.Start();
        Assert.Equal(CloseReason.Local, await Soon(probe.Closed));
        writing.Join();
        await Soon(reading);
        Assert.Equal(1_000_000, sent + unsent.Bytes);
        Assert.InRange(unsent.Bytes, 1, 1_000_000);
        await Soon(Wait.UntilAsync(() => group.BufferedBytes == 0, Cancellation));
    }

    [Fact]
    public async Task Bytes_flushed_while_a_linger_ends_its_direction_are_not_accepted()
    {
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        (DuplexPipe near, DuplexPipe far) = DuplexPipe.Create();
        Connection? connection = null;
        var writer = new CompletionWatch(near.Output, () =>
        {
            connection!.ExternalWriteBuffer.Write(new byte[50]);
            connection.FlushExternal();
        });
        var probe = new Probe();
        connection = PipeLink.Open(group[0], new DuplexPipe(near.Input, writer), probe);
        await Soon(probe.Opened);
        await probe.WriteAsync(new byte[100], c => c.Close(ConnectionPairs.WaitLimit));
        await far.Output.CompleteAsync();
        Assert.Equal(CloseReason.Local, await Soon(probe.Closed));
        Assert.Equal((100, 0), (connection.SentBytes, connection.PendingBytes));
    }

    [Fact]
    public async Task A_connection_that_ends_before_its_loop_has_opened_it_is_opened_first()
    {
        var group = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        (DuplexPipe near, _) = DuplexPipe.Create();
        var order = new List<string>();
        var probe = new Probe { WhenOpened = _ => order.Add("opened"), WhenClosed = _ => order.Add("closed") };
        // The group may end between the two steps of a dialer: it then knows the connection, and does not run actions
        // that are posted later.
        var connection = new PipeConnection(group[0], near, probe);
        group.Add(connection);
        group.Dispose();
        group[0].Post(connection.Open);
        Assert.Equal(CloseReason.Shutdown, await Soon(probe.Closed));
        Assert.Equal(["opened", "closed"], order);
    }

    private sealed class CompletionWatch(PipeWriter inner, Action completed) : PipeWriter
    {
        public override void Complete(Exception? exception = null)
        {
            inner.Complete(exception);
            completed();
        }

        public override void Advance(int bytes) => inner.Advance(bytes);

        public override Memory<byte> GetMemory(int sizeHint = 0) => inner.GetMemory(sizeHint);

        public override Span<byte> GetSpan(int sizeHint = 0) => inner.GetSpan(sizeHint);

        public override void CancelPendingFlush() => inner.CancelPendingFlush();

        public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default) => inner.FlushAsync(cancellationToken);
    }
}
