using Broker.Transport;

namespace Broker.ZeroMq.Tests.Threads;

/// <summary>
/// Sockets that are closed one by one linger side by side. Each has more to send than the kernel can take, and a linger
/// time that no test waits for: a disposal that waited for its own peer would never end here.
/// </summary>
public sealed class DisposalTests
{
    private const int Sockets = 3;
    private const int Messages = 32;

    private static readonly ZeroMqSocketOptions Lingering = new()
    {
        Linger = TimeSpan.FromHours(1),
        SendHighWaterMark = 0,
        SendHighWaterBytes = 1L << 30,
    };

    // More than the buffers of the kernel on both sides, for all messages together.
    private static readonly byte[] Body = new byte[1 << 20];

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("tcp://127.0.0.1:*", false)]
    [InlineData("tcp://127.0.0.1:*", true)]
    [InlineData("ipc://*", false)]
    [InlineData("inproc://work", true)]
    public async Task Sockets_closed_one_by_one_linger_side_by_side_until_the_context_is_closed(string endpoint, bool isAsync)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() || !endpoint.StartsWith("ipc", StringComparison.Ordinal), "libzmq has Unix sockets there");
        var context = new ZeroMqContext();
        PullSocket[] pulls = [.. Enumerable.Range(0, Sockets).Select(_ => new PullSocket(Narrow, context))];
        PushSocket[] pushes = [.. pulls.Select((pull, i) => Filled(context, pull.Bind(endpoint == "inproc://work" ? $"{endpoint}{i}" : endpoint)))];

        await CloseOneByOneAsync(pushes, isAsync).WaitAsync(Wait.Limit, Token);

        Assert.All(pushes, static push => Assert.False(push.CloseAsync().IsCompleted));
        var received = Task.WhenAll(pulls.Select(pull => Task.Run(() => TakeAll(pull), Token)));
        await received.WaitAsync(Wait.Limit, Token);
        await (isAsync ? context.DisposeAsync().AsTask() : Task.Run(context.Dispose, Token)).WaitAsync(Wait.Limit, Token);
        Assert.All(pushes, static push => Assert.Equal((true, 0), (push.CloseAsync().IsCompletedSuccessfully, push.CloseAsync().Result.Undelivered)));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_context_waits_for_what_closed_sockets_still_send(bool isAsync)
    {
        var context = new ZeroMqContext();
        PullSocket[] pulls = [.. Enumerable.Range(0, Sockets).Select(_ => new PullSocket(Narrow))];
        PushSocket[] pushes = [.. pulls.Select(pull => Filled(context, pull.Bind("tcp://127.0.0.1:*")))];
        await CloseOneByOneAsync(pushes, isAsync).WaitAsync(Wait.Limit, Token);

        Task disposal = isAsync ? context.DisposeAsync().AsTask() : Task.Run(context.Dispose, Token);

        // All but the last peer read, so that the context still waits for that one.
        await Task.WhenAll(pulls[1..].Select(pull => Task.Run(() => TakeAll(pull), Token))).WaitAsync(Wait.Limit, Token);
        await Task.WhenAll(pushes[1..].Select(static push => push.CloseAsync())).WaitAsync(Wait.Limit, Token);
        Assert.False(disposal.IsCompleted);
        TakeAll(pulls[0]);
        await disposal.WaitAsync(Wait.Limit, Token);
        Array.ForEach(pulls, static pull => pull.Dispose());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_socket_without_a_context_waits_for_its_own_peer(bool isAsync)
    {
        using var pull = new PullSocket(Narrow);
        PushSocket push = Filled(context: null, pull.Bind("tcp://127.0.0.1:*"));
        Task closing = CloseOneByOneAsync([push], isAsync);
        await Wait.UntilAsync(() => push.IsClosed, "the socket to close");
        Assert.False(closing.IsCompleted);
        TakeAll(pull);
        await closing.WaitAsync(Wait.Limit, Token);
        Assert.Equal(0, (await push.CloseAsync()).Undelivered);
    }

    [Fact]
    public async Task Messages_for_an_endpoint_without_a_peer_linger_with_the_context()
    {
        var context = new ZeroMqContext();
        int[] ports = [.. Enumerable.Range(0, Sockets).Select(static _ => FreePort.Next())];
        PushSocket[] pushes = [.. ports.Select(port =>
        {
            var push = new PushSocket(Lingering, context);
            push.Connect($"tcp://127.0.0.1:{port}");
            push.Send($"{port}");
            return push;
        })];
        await CloseOneByOneAsync(pushes, isAsync: false).WaitAsync(Wait.Limit, Token);
        foreach (int port in ports)
        {
            using var pull = new PullSocket();
            pull.Bind($"tcp://127.0.0.1:{port}");
            Assert.Equal($"{port}", pull.ReceiveString());
        }

        await context.DisposeAsync().AsTask().WaitAsync(Wait.Limit, Token);
    }

    [Theory]
    [InlineData("tcp://127.0.0.1:*")]
    [InlineData("inproc://work")]
    public async Task The_endpoint_of_a_socket_that_still_sends_can_be_bound_again_at_once(string endpoint)
    {
        var context = new ZeroMqContext();
        var push = new PushSocket(Lingering, context);
        string bound = push.Bind(endpoint);
        using (var pull = new PullSocket(Narrow, context))
        {
            pull.Connect(bound);
            Fill(push);
            await Task.Run(push.Dispose, Token).WaitAsync(Wait.Limit, Token);
            Assert.False(push.CloseAsync().IsCompleted);
            Assert.Throws<ObjectDisposedException>(() => push.Bind("tcp://127.0.0.1:*"));
            using var next = new PushSocket(context: context);
            Assert.Equal(bound, next.Bind(bound));
            TakeAll(pull);
        }

        await context.DisposeAsync().AsTask().WaitAsync(Wait.Limit, Token);
        Assert.Equal(0, (await push.CloseAsync()).Undelivered);
    }

    [Fact]
    public void Sockets_on_a_caller_driven_loop_linger_side_by_side()
    {
        PullSocket[] pulls = [.. Enumerable.Range(0, Sockets).Select(_ => new PullSocket(Narrow))];
        string[] endpoints = [.. pulls.Select(static pull => pull.Bind("tcp://127.0.0.1:*"))];
        Exception? thrown = null;
        using var closed = new ManualResetEventSlim();
        var driving = new Thread(() => thrown = Record.Exception(() =>
        {
            using var loops = new EventLoopGroup(new EventLoopOptions { CallerDriven = true });
            using var context = new ZeroMqContext(loops);
            PushSocket[] pushes = [.. endpoints.Select(endpoint => Filled(context, endpoint))];
            Array.ForEach(pushes, static push => push.Dispose());
            Assert.All(pushes, static push => Assert.False(push.CloseAsync().IsCompleted));
            closed.Set();
        }))
        { IsBackground = true };
        driving.Start();
        Assert.True(closed.Wait(Wait.Limit, Token));
        foreach (PullSocket pull in pulls)
        {
            TakeAll(pull);
            pull.Dispose();
        }

        driving.Join();
        Assert.Null(thrown);
    }

    private static ZeroMqSocketOptions Narrow => new() { ReceiveHighWaterMark = 1, ReceiveTimeout = Wait.Limit };

    private static PushSocket Filled(ZeroMqContext? context, string endpoint)
    {
        var push = new PushSocket(Lingering, context);
        push.Connect(endpoint);
        Fill(push);
        return push;
    }

    private static void Fill(PushSocket push)
    {
        for (int i = 0; i < Messages; i++)
        {
            push.Send(Body);
        }
    }

    private static void TakeAll(PullSocket pull)
    {
        using var message = new ZeroMqMessage();
        for (int i = 0; i < Messages; i++)
        {
            pull.Receive(message);
            Assert.Equal(Body.Length, message.First.Length);
        }
    }

    private static Task CloseOneByOneAsync(PushSocket[] sockets, bool isAsync) => Task.Run(async () =>
    {
        foreach (PushSocket socket in sockets)
        {
            if (isAsync)
            {
                await socket.DisposeAsync();
            }
            else
            {
                socket.Dispose();
            }
        }
    });
}
