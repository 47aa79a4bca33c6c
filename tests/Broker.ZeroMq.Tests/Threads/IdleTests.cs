using Broker.Transport;

namespace Broker.ZeroMq.Tests.Threads;

/// <summary>The processor time of idle sockets, as the kernel counts it.</summary>
[Collection(Alone.Name)]
public sealed class IdleTests
{
    private const string LoopName = "idle loop";
    private const string ReceiverName = "idle receiver";

    [Fact]
    public Task Threads_that_wait_without_a_limit_sleep_with_their_loop() => RestAsync(
        heartbeat: Timeout.InfiniteTimeSpan,
        pull =>
        {
            Assert.Throws<ObjectDisposedException>(() => pull.ReceiveBytes());
            return Task.CompletedTask;
        },
        sleeps: true);

    [Fact]
    public Task An_awaiting_receiver_uses_no_thread_and_the_loop_sleeps()
        => RestAsync(heartbeat: Timeout.InfiniteTimeSpan, pull => Assert.ThrowsAsync<ObjectDisposedException>(() => pull.ReceiveStringAsync(TestContext.Current.CancellationToken).AsTask()), sleeps: true);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public Task Threads_that_poll_ten_times_a_second_use_no_processor_time_with_or_without_heartbeats(bool heartbeats) => RestAsync(
        heartbeats ? TimeSpan.FromMilliseconds(100) : Timeout.InfiniteTimeSpan,
        pull =>
        {
            byte[] buffer = new byte[8];
            Assert.Throws<ObjectDisposedException>(() =>
            {
                while (!pull.TryReceive(buffer, out _, TimeSpan.FromMilliseconds(100)))
                {
                }
            });
            return Task.CompletedTask;
        },
        sleeps: false);

    // Receivers wait on TCP sockets that have had messages, until a second passes in which the kernel counts no
    // processor time. A thread that polls has no such second.
    private static async Task RestAsync(TimeSpan heartbeat, Func<PullSocket, Task> receive, bool sleeps)
    {
        const int Pairs = 4;
        Assert.SkipUnless(OperatingSystem.IsLinux(), "looks into /proc");
        using var loops = new EventLoopGroup(new EventLoopOptions { Loops = 1, ThreadName = LoopName });
        using var context = new ZeroMqContext(loops);
        var options = new ZeroMqSocketOptions { HeartbeatInterval = heartbeat, Linger = TimeSpan.Zero };
        var pulls = new List<PullSocket>();
        var waiting = new List<Task>();
        for (int i = 0; i < Pairs; i++)
        {
            var pull = new PullSocket(options, context);
            var push = new PushSocket(options, context);
            push.Connect(pull.Bind("tcp://127.0.0.1:*"));
            for (int n = 0; n < 100; n++)
            {
                push.Send("x");
                Assert.Equal("x", pull.ReceiveString());
            }

            pulls.Add(pull);
            waiting.Add(OnThreadOfItsOwn(() => receive(pull)));
        }

        await Wait.UntilAsync(
            async () =>
            {
                (long Ticks, long Sleeps) before = Counted(sleeps);
                await Task.Delay(1000, TestContext.Current.CancellationToken);
                return before == Counted(sleeps);
            },
            () => $"never at rest: {Counted(sleeps)}");
        pulls.ForEach(pull => pull.Dispose());
        await Wait.For(Task.WhenAll(waiting));
    }

    private static (long Ticks, long Sleeps) Counted(bool sleeps) => (
        ProcessFacts.Ticks(LoopName) + ProcessFacts.Ticks(ReceiverName),
        sleeps ? ProcessFacts.Sleeps(LoopName) + ProcessFacts.Sleeps(ReceiverName) : 0);

    private static Task OnThreadOfItsOwn(Func<Task> what)
    {
        TaskCompletionSource<Task> done = Wait.Source<Task>();
        new Thread(() =>
        {
            try
            {
                done.SetResult(what());
            }
            catch (Exception e)
            {
                done.SetException(e);
            }
        })
        { Name = ReceiverName, IsBackground = true }.Start();
        return done.Task.Unwrap();
    }
}
