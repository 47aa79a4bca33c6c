using Broker.Hosting;

namespace Broker.Cli.Tests.Configuration;

public sealed class DurationTests
{
    [Theory]
    [InlineData("10s", 10_000)]
    [InlineData("1m30s", 90_000)]
    [InlineData("1.5h", 5_400_000)]
    [InlineData("250ms", 250)]
    [InlineData("2m", 120_000)]
    [InlineData("500us", 0.5)]
    public void Go_durations_are_understood(string text, double milliseconds)
    {
        Assert.True(Duration.TryParse(text, out TimeSpan value));
        Assert.Equal(milliseconds, value.TotalMilliseconds);
    }

    [Theory]
    [InlineData("")]
    [InlineData("10")]
    [InlineData("s")]
    [InlineData("1d")]
    [InlineData("-1s")]
    [InlineData("1..5s")]
    [InlineData("1s ")]
    [InlineData("99999999999999999999h")]
    public void Other_texts_are_not(string text) => Assert.False(Duration.TryParse(text, out _));

    [Theory]
    [InlineData(7_200_000, "2h")]
    [InlineData(120_000, "2m")]
    [InlineData(90_000, "90s")]
    [InlineData(0, "0s")]
    [InlineData(250, "250ms")]
    public void They_are_written_shortly(int milliseconds, string text)
        => Assert.Equal(text, Duration.Format(TimeSpan.FromMilliseconds(milliseconds)));
}
