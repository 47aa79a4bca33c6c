using System.Globalization;

namespace Broker.Bridge.Tests.PubSub;

public sealed class RefusalLogFilterTests
{
    private readonly Clock _clock = new();

    [Fact]
    public void The_first_refusal_of_a_kind_is_logged_and_the_next_after_a_quiet_minute_reports_the_suppressed_ones()
    {
        var episodes = new RefusalLogFilter(_clock);
        Assert.True(episodes.ShouldLog("tcp://*:1", "tcp://192.0.2.1:1000", "too many peers", out long before));
        Assert.Equal(0, before);
        for (int i = 0; i < 1000; i++)
        {
            _clock.Now += RefusalLogFilter.QuietPeriod / 2;
            Assert.False(episodes.ShouldLog("tcp://*:1", $"tcp://192.0.2.1:{1001 + i}", "too many peers", out _));
        }

        _clock.Now += RefusalLogFilter.QuietPeriod;
        Assert.True(episodes.ShouldLog("tcp://*:1", "tcp://192.0.2.1:9999", "too many peers", out before));
        Assert.Equal(1000, before);
    }

    [Fact]
    public void Different_hosts_reasons_and_endpoints_are_logged_separately()
    {
        var episodes = new RefusalLogFilter(_clock);
        Assert.True(episodes.ShouldLog("tcp://*:1", "tcp://192.0.2.1:1000", "a", out _));
        Assert.True(episodes.ShouldLog("tcp://*:1", "tcp://192.0.2.2:1000", "a", out _));
        Assert.True(episodes.ShouldLog("tcp://*:1", "tcp://192.0.2.1:1000", "b", out _));
        Assert.True(episodes.ShouldLog("tcp://*:2", "tcp://192.0.2.1:1000", "a", out _));
        Assert.False(episodes.ShouldLog("tcp://*:2", "tcp://192.0.2.1:1000", "a", out _));
    }

    [Fact]
    public void However_many_hosts_and_reasons_a_crowd_has_the_lines_are_few()
    {
        var episodes = new RefusalLogFilter(_clock);
        int told = 0;
        for (int i = 0; i < 10_000; i++)
        {
            string number = i.ToString(CultureInfo.InvariantCulture);
            told += episodes.ShouldLog("tcp://*:1", $"tcp://host{number}:1", $"refused: {number}", out _) ? 1 : 0;
        }

        Assert.InRange(told, 1, 70);
        _clock.Now += RefusalLogFilter.QuietPeriod;
        Assert.True(episodes.ShouldLog("tcp://*:1", "tcp://another:1", "a", out _));
    }

    private sealed class Clock : TimeProvider
    {
        public TimeSpan Now { get; set; } = TimeSpan.FromHours(1);

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => Now.Ticks;
    }
}
