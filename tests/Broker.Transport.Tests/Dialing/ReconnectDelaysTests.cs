namespace Broker.Transport.Tests.Dialing;

/// <summary>The delays between the attempts to reconnect.</summary>
public sealed class ReconnectDelaysTests
{
    private static readonly TimeSpan Jitter = TimeSpan.FromMilliseconds(100);

    [Theory]
    [InlineData(0, 0)]
    [InlineData(1, 250)]
    [InlineData(2, 500)]
    [InlineData(3, 1000)]
    [InlineData(5, 4000)]
    [InlineData(6, 5000)]
    [InlineData(10_000, 5000)]
    public void The_delay_doubles_up_to_the_maximum_and_has_a_jitter(int failedRounds, int milliseconds)
    {
        ReconnectDelays delays = Delays(Jitter);
        var least = TimeSpan.FromMilliseconds(milliseconds);
        TimeSpan[] drawn = [.. Enumerable.Range(0, 100).Select(_ => delays.After(failedRounds))];
        Assert.All(drawn, w => Assert.InRange(w, least, least + Jitter));
        Assert.NotEqual(drawn.Min(), drawn.Max());
        Assert.Equal(least, Delays(TimeSpan.Zero).After(failedRounds));
    }

    [Fact]
    public void The_delay_of_a_callback_is_limited_to_what_a_timer_supports()
    {
        int asked = 0;
        var answer = TimeSpan.FromMilliseconds(7);
        ReconnectDelays delays = Delays(Jitter, rounds =>
        {
            asked = rounds;
            return answer;
        });
        Assert.Equal(answer, delays.After(3));
        Assert.Equal(3, asked);
        answer = TimeSpan.FromSeconds(-1);
        Assert.Equal(TimeSpan.Zero, delays.After(1));
        answer = TimeSpan.FromDays(2);
        Assert.Equal(TimeSpan.FromDays(1), delays.After(1));
    }

    private static ReconnectDelays Delays(TimeSpan jitter, Func<int, TimeSpan>? custom = null)
        => new(TimeSpan.FromMilliseconds(250), TimeSpan.FromSeconds(5), jitter, custom);
}
