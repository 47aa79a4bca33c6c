namespace Broker.Cli.Tests;

/// <summary>A clock on which every period passes in a few milliseconds.</summary>
internal sealed class FastTime : TimeProvider
{
    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        => System.CreateTimer(callback, state, Shorten(dueTime), Shorten(period));

    private static TimeSpan Shorten(TimeSpan time) => time > TimeSpan.Zero ? TimeSpan.FromMilliseconds(5) : time;
}
