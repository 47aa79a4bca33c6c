namespace Broker.Transport.Tests;

public sealed class SharedEventLoopsTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task All_users_share_one_group_which_ends_with_the_last_user()
    {
        var told = new TaskCompletionSource<Exception>(TaskCreationOptions.RunContinuationsAsynchronously);
        var first = SharedEventLoops.Acquire();
        var second = SharedEventLoops.Acquire(e => told.TrySetResult(e));
        EventLoopGroup group = first.Group;
        Assert.Same(group, second.Group);
        first.Dispose();
        first.Dispose();
        Assert.True(group[0].TryPost(() => throw new InvalidDataException("nobody's")));
        Assert.IsType<InvalidDataException>(await told.Task.WaitAsync(ConnectionPairs.WaitLimit, Cancellation));
        second.Dispose();
        Assert.False(group[0].TryPost(() => { }));
        using var third = SharedEventLoops.Acquire();
        Assert.NotSame(group, third.Group);
        Assert.True(third.Group[0].TryPost(() => { }));
    }

    [Fact]
    public void Many_threads_may_come_and_go()
    {
        Parallel.For(0, 200, _ =>
        {
            using var shared = SharedEventLoops.Acquire();
            using var ran = new ManualResetEventSlim();
            shared.Group[0].Post(ran.Set);
            Assert.True(ran.Wait(ConnectionPairs.WaitLimit));
        });
    }
}
