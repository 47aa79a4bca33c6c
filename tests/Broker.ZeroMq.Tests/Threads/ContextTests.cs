namespace Broker.ZeroMq.Tests.Threads;

/// <summary>A context closes the sockets that are still open.</summary>
public sealed class ContextTests
{
    private const int Sockets = 3;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task All_sockets_linger_at_the_same_time(bool isAsync)
    {
        var context = new ZeroMqContext();
        var options = new ZeroMqSocketOptions { Linger = TimeSpan.FromHours(1), SendHighWaterMark = 1 };
        int[] ports = [.. Enumerable.Range(0, Sockets).Select(static _ => FreePort.Next())];
        PushSocket[] all = [.. ports.Select(port =>
        {
            var push = new PushSocket(options, context);
            push.Connect($"tcp://127.0.0.1:{port}");
            push.Send($"{port}");
            while (push.TrySend("x"u8))
            {
                // Until the queue is full.
            }

            return push;
        })];

        Task disposal = isAsync ? context.DisposeAsync().AsTask() : Task.Run(context.Dispose, Token);

        // Each socket closes although no other one has ended.
        await Wait.UntilAsync(() => all.All(IsClosing), "all sockets to close");
        Assert.False(disposal.IsCompleted);
        PullSocket[] pulls = [.. ports.Select(static port =>
        {
            var pull = new PullSocket();
            pull.Bind($"tcp://127.0.0.1:{port}");
            Assert.Equal($"{port}", pull.ReceiveString());
            return pull;
        })];

        await disposal.WaitAsync(Wait.Limit, Token);
        Array.ForEach(pulls, static pull => pull.Dispose());
        Assert.All(all, static push => Assert.True(push.CloseAsync().IsCompleted));
    }

    private static bool IsClosing(PushSocket socket)
    {
        try
        {
            // The queue is full, so nothing is added.
            Assert.False(socket.TrySend("x"u8));
            return false;
        }
        catch (ObjectDisposedException)
        {
            return true;
        }
    }
}
