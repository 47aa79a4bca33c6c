using NetMQ;

namespace Broker.NetMQ.Tests;

/// <summary>An attachment collects messages that follow each other closely, and only these.</summary>
public sealed class StreamWindowTests : IDisposable
{
    private readonly NetMQPoller _poller = [];

    public StreamWindowTests() => _poller.RunAsync();

    public void Dispose() => _poller.Dispose();

    [Fact]
    public async Task A_window_begins_after_turns_that_follow_each_other_closely_and_ends_by_itself()
    {
        TaskCompletionSource ended = Wait.Source();
        using var window = new StreamWindow(new PollerThread(_poller), () => ended.TrySetResult());
        Assert.False(await OnPollerAsync(() => window.TryBegin(1)));
        Assert.True(await OnPollerAsync(() => BeginsSoon(window)));
        await Wait.For(ended);
    }

    [Fact]
    public async Task A_window_follows_a_window_with_many_messages_and_not_one_with_few()
    {
        using var window = new StreamWindow(new PollerThread(_poller), static () => { });
        bool[] begun = await OnPollerAsync<bool[]>(() =>
            [BeginsSoon(window), window.TryBegin(16), window.TryBegin(1000), window.TryBegin(15), window.TryBegin(1000)]);

        Assert.Equal([true, true, true, false, false], begun);
    }

    [Fact]
    public async Task A_handler_of_a_timer_can_end_the_windows_of_its_poller()
    {
        TaskCompletionSource elapsed = Wait.Source();
        var window = new StreamWindow(new PollerThread(_poller), static () => { });
        Assert.True(await OnPollerAsync(() => BeginsSoon(window)));
        var timer = new NetMQTimer(TimeSpan.FromMilliseconds(1));
        timer.Elapsed += (_, _) =>
        {
            window.Dispose();
            elapsed.TrySetResult();
        };
        _poller.Add(timer);
        await Wait.For(elapsed);

        Assert.False(await OnPollerAsync(() => BeginsSoon(window)));
        Assert.True(_poller.IsRunning);
    }

    // The turns of one tick of the clock count together, and the thread may have to wait for its processor.
    private static bool BeginsSoon(StreamWindow window) => Enumerable.Range(0, 100_000).Any(_ => window.TryBegin(1));

    private Task<T> OnPollerAsync<T>(Func<T> action)
    {
        TaskCompletionSource<T> result = Wait.Source<T>();
        _poller.Run(() => result.SetResult(action()));
        return Wait.For(result);
    }
}
