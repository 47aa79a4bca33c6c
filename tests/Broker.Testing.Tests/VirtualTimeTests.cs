namespace Broker.Testing.Tests;

public sealed class VirtualTimeTests
{
    [Fact]
    public void Timers_fire_in_the_order_of_their_due_times()
    {
        var time = new VirtualTime();
        DateTimeOffset start = time.GetUtcNow();
        var fired = new List<(string, TimeSpan)>();
        void Note(object? name) => fired.Add(((string)name!, time.GetUtcNow() - start));
        using ITimer late = time.CreateTimer(Note, "late", TimeSpan.FromSeconds(3), Timeout.InfiniteTimeSpan);
        using ITimer often = time.CreateTimer(Note, "often", TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(1.5));
        using ITimer never = time.CreateTimer(Note, "never", TimeSpan.FromSeconds(1), Timeout.InfiniteTimeSpan);
        never.Dispose();

        time.Advance(TimeSpan.FromSeconds(4));

        Assert.Equal([("often", TimeSpan.FromSeconds(1)), ("often", TimeSpan.FromSeconds(2.5)), ("late", TimeSpan.FromSeconds(3)), ("often", TimeSpan.FromSeconds(4))], fired);
        Assert.Equal((TimeSpan.FromSeconds(4), 1), (time.GetUtcNow() - start, time.Timers));
    }

    [Fact]
    public async Task A_delay_ends_when_the_clock_has_advanced_enough()
    {
        var time = new VirtualTime();
        var delay = Task.Delay(TimeSpan.FromHours(1), time, TestContext.Current.CancellationToken);

        time.Advance(TimeSpan.FromMinutes(59));
        Assert.False(delay.IsCompleted);
        time.Advance(TimeSpan.FromMinutes(1));

        await Wait.For(delay);
        Assert.Throws<ArgumentOutOfRangeException>(() => time.Advance(TimeSpan.FromTicks(-1)));
    }

    [Fact]
    public void Setting_the_wall_clock_does_not_advance_timers()
    {
        var time = new VirtualTime();
        DateTimeOffset date = time.GetUtcNow();
        long start = time.GetTimestamp();
        int fired = 0;
        using ITimer timer = time.CreateTimer(_ => fired++, null, TimeSpan.FromHours(1), Timeout.InfiniteTimeSpan);

        time.SetWallClock(TimeSpan.FromHours(3));
        time.SetWallClock(TimeSpan.FromHours(-1));
        time.Advance(TimeSpan.FromMinutes(59));

        Assert.Equal((0, TimeSpan.FromMinutes(59), TimeSpan.FromMinutes(179)), (fired, time.GetElapsedTime(start), time.GetUtcNow() - date));
        time.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal(1, fired);
    }
}
