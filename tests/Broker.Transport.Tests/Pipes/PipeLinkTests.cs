using System.IO.Pipelines;

namespace Broker.Transport.Tests.Pipes;

/// <summary>
/// Tests what only the other end of a pipe can see: both directions are completed, however the connection ends.
/// </summary>
public sealed class PipeLinkTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    private static Task<T> Soon<T>(Task<T> task) => task.WaitAsync(ConnectionPairs.WaitLimit, Cancellation);

    // Completions come from the thread pool, at any time.
    private static (DuplexPipe Near, DuplexPipe Far) Scheduled()
    {
        var options = new PipeOptions(useSynchronizationContext: false);
        var there = new Pipe(options);
        var back = new Pipe(options);
        return (new DuplexPipe(back.Reader, there.Writer), new DuplexPipe(there.Reader, back.Writer));
    }

    private static async Task IsCompletedAsync(DuplexPipe far)
    {
        ReadResult read;
        do
        {
            read = await Soon(far.Input.ReadAsync(Cancellation).AsTask());
            far.Input.AdvanceTo(read.Buffer.End);
        }
        while (!read.IsCompleted);

        await Wait.UntilAsync(() => far.Output.FlushAsync(Cancellation).AsTask() is { IsCompletedSuccessfully: true, Result.IsCompleted: true }, Cancellation)
            .WaitAsync(ConnectionPairs.WaitLimit, Cancellation);
    }

    [Fact]
    public async Task Disposing_a_group_completes_its_pipes_even_if_their_operations_end_later()
    {
        for (int i = 0; i < 200; i++)
        {
            (DuplexPipe near, DuplexPipe far) = Scheduled();
            var probe = new Probe();
            using (var group = new EventLoopGroup(new EventLoopOptions { Loops = 1 }))
            {
                PipeLink.Open(group[0], near, probe);
                await Soon(probe.Opened);
                // More than the pipe holds: a flush is pending beside the read.
                await probe.WriteAsync(new byte[200_000]);
            }

            Assert.Equal(CloseReason.Shutdown, await Soon(probe.Closed));
            await IsCompletedAsync(far);
        }
    }

    [Fact]
    public async Task A_close_completes_the_pipe_after_all_was_read()
    {
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        (DuplexPipe near, DuplexPipe far) = Scheduled();
        var probe = new Probe();
        PipeLink.Open(group[0], near, probe);
        await Soon(probe.Opened);
        await probe.WriteAsync(new byte[1_000_000], connection => connection.Close(ConnectionPairs.WaitLimit));
        long length = 0;
        while (true)
        {
            ReadResult read = await Soon(far.Input.ReadAsync(Cancellation).AsTask());
            length += read.Buffer.Length;
            far.Input.AdvanceTo(read.Buffer.End);
            if (read.IsCompleted)
            {
                break;
            }
        }

        Assert.Equal(1_000_000, length);
        await far.Output.CompleteAsync();
        Assert.Equal(CloseReason.Local, await Soon(probe.Closed));
    }

    [Fact]
    public async Task A_pipe_that_fails_closes_the_connection_with_its_error()
    {
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        (DuplexPipe near, DuplexPipe far) = Scheduled();
        var probe = new Probe();
        PipeLink.Open(group[0], near, probe);
        await Soon(probe.Opened);
        await far.Output.CompleteAsync(new IOException("The transport failed."));
        Assert.Equal(CloseReason.Error, await Soon(probe.Closed));
        Assert.Equal("The transport failed.", Assert.IsType<IOException>(probe.Error).Message);
    }

    [Fact]
    public async Task A_reader_that_stops_blocks_the_writer_until_its_deadline()
    {
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        (DuplexPipe near, DuplexPipe far) = Scheduled();
        var probe = new Probe { WhenOpened = connection => connection.WriteDeadline = TimeSpan.FromMilliseconds(100) };
        PipeLink.Open(group[0], near, probe);
        await Soon(probe.Opened);
        await probe.WriteAsync(new byte[5_000_000]);
        Assert.InRange(probe.Connection.SentBytes, 1, 1_000_000);
        Assert.Equal(CloseReason.WriteTimeout, await Soon(probe.Closed));
        await IsCompletedAsync(far);
    }
}
