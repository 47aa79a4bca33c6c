namespace Broker.Transport.Tests.Outbound;

public sealed class StoppedReadersTests
{
    private const int Readers = 1_000;
    private const long Slack = 8L * 1024 * 1024;

    [Theory]
    [InlineData(TransportKind.Pipe, 0)]
    [InlineData(TransportKind.Pipe, 16)]
    [InlineData(TransportKind.Pipe, 5_000)]
    [InlineData(TransportKind.Pipe, 70_000)]
    [InlineData(TransportKind.TlsOverPipe, 0)]
    [InlineData(TransportKind.TlsOverPipe, 16)]
    [InlineData(TransportKind.TlsOverPipe, 5_000)]
    [InlineData(TransportKind.TlsOverPipe, 70_000)]
    [InlineData(TransportKind.InProcess, 16)]
    [InlineData(TransportKind.InProcess, 5_000)]
    [InlineData(TransportKind.InProcess, 70_000)]
    public async Task A_thousand_stopped_readers_use_at_most_twice_the_memory_of_their_messages(TransportKind kind, int payload)
    {
        CancellationToken cancellation = TestContext.Current.CancellationToken;
        using var pairs = new ConnectionPairs(kind);
        var near = new Probe[Readers];
        for (int i = 0; i < Readers; i++)
        {
            near[i] = new Probe();
            await pairs.ConnectAsync(near[i], new Probe());
            near[i].Connection.WriteDeadline = Timeout.InfiniteTimeSpan;
        }

        using var hold = new ManualResetEventSlim();
        var stopped = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        pairs.Far[0].Post(() =>
        {
            stopped.SetResult();
            hold.Wait(ConnectionPairs.WaitLimit);
        });
        await stopped.Task.WaitAsync(ConnectionPairs.WaitLimit, cancellation);
        long before = pairs.Near.BufferedBytes;
        // The pipe itself accepts the first of them, and the in-process link accepts both.
        int first = kind == TransportKind.InProcess ? 0 : 64 * 1024;
        int size = payload + 22;
        foreach (Probe probe in near)
        {
            await probe.WriteAsync(new byte[first]);
            await probe.WriteAsync(new byte[size]);
        }

        long queued = kind == TransportKind.InProcess ? (long)Readers * (first + size) : near.Sum(probe => probe.Connection.PendingBytes);
        Assert.InRange(queued, (long)Readers * size, (long)Readers * (first + size));
        Assert.InRange(pairs.Near.BufferedBytes - before, queued, (queued * 2) + Slack);
        hold.Set();
        await Wait.UntilAsync(() => pairs.Near.BufferedBytes <= before, cancellation).WaitAsync(ConnectionPairs.WaitLimit, cancellation);
    }
}
