namespace Broker.TestKit;

/// <summary>Time that goes on when a test says so. Any thread; a loop sees it when something wakes it.</summary>
public sealed class ManualTime : TimeProvider
{
    private long _ticks = TimeSpan.TicksPerDay;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Interlocked.Read(ref _ticks);

    public void Advance(TimeSpan by) => Interlocked.Add(ref _ticks, by.Ticks);
}
