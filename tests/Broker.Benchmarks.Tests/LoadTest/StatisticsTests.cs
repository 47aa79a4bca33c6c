using System.Diagnostics;
using Broker.LoadTest.Churn;
using Broker.LoadTest.Report;
using Broker.LoadTest.Rows;

namespace Broker.Benchmarks.Tests.LoadTest;

public class StatisticsTests
{
    [Theory]
    [InlineData(new double[] { 3, 1, 2 }, 2, 1, 3)]
    [InlineData(new double[] { 4, 1, 2, 3 }, 2.5, 1, 4)]
    [InlineData(new double[] { 7 }, 7, 7, 7)]
    public void A_spread_is_the_median_and_the_extremes(double[] values, double median, double min, double max)
        => Assert.Equal(new Spread(median, min, max), Spread.Of(values));

    [Fact]
    public void Nothing_has_no_spread() => Assert.Null(Spread.Of([]));

    [Fact]
    public void Percentiles_are_those_of_the_sorted_times()
    {
        long microsecond = Stopwatch.Frequency / 1_000_000;
        long[] ticks = [.. Enumerable.Range(0, 1_000).Reverse().Select(i => i * microsecond)];

        var latency = Latency.FromTicks(ticks);

        Assert.Equal((1_000, 500, 990, 999), (latency.Count, latency.P50, latency.P99, latency.P999));
    }

    [Fact]
    public void Percentiles_of_several_rounds_are_those_of_all_their_round_trips()
    {
        long microsecond = Stopwatch.Frequency / 1_000_000;
        Latency Round(int from) => Latency.FromTicks([.. Enumerable.Range(from, 500).Select(i => i * microsecond)]);

        Latency all = Latency.Pool([Round(500), Round(0)])!;

        Assert.Equal((1_000, 500, 990, 999), (all.Count, all.P50, all.P99, all.P999));
        Assert.Null(Latency.Pool([]));
    }

    [Theory]
    [InlineData(2.5, 10)]
    [InlineData(-1, 0)]
    [InlineData(0, 3)]
    public void The_slope_of_a_straight_line_is_its_own(double slope, double offset)
        => Assert.Equal(slope, Slope.Of([.. Enumerable.Range(0, 20).Select(x => ((double)x, (slope * x) + offset))]), 9);

    [Fact]
    public void The_slope_is_the_one_with_the_least_squares()
        => Assert.Equal(0.5, Slope.Of([(0, 0), (1, 2), (2, 1), (3, 3), (4, 2)]), 9);

    [Fact]
    public void A_single_moment_has_no_slope()
    {
        Assert.Equal(0, Slope.Of([]));
        Assert.Equal(0, Slope.Of([(1, 5), (1, 9)]));
    }

    [Fact]
    public void A_message_within_the_time_limit_is_not_late()
    {
        var watch = new LateWatch(TimeSpan.FromSeconds(5));
        for (int second = 0; second < 60; second++)
        {
            watch.Look(TimeSpan.FromSeconds(second), confirmed: (second + 1) * 100, received: second * 100);
        }

        Assert.Equal(0, watch.Late);
    }

    [Fact]
    public void A_message_after_the_time_limit_is_late_however_much_else_was_published()
    {
        var watch = new LateWatch(TimeSpan.FromSeconds(5));
        for (int second = 0; second <= 6; second++)
        {
            watch.Look(TimeSpan.FromSeconds(second), confirmed: second + 1, received: 0);
        }

        Assert.Equal(1, watch.Late);
    }

    [Fact]
    public void A_window_contains_the_new_values_and_a_mark_contains_all_since_the_last_one()
    {
        var window = new LatencyWindow();
        long microsecond = Stopwatch.Frequency / 1_000_000;
        window.Add(10 * microsecond);
        Assert.Equal(10, window.Look()?.P50);
        Assert.Null(window.Look());
        window.Add(30 * microsecond);
        Assert.Equal(30, window.Look()?.P50);
        Assert.Equal(30, window.Mark()?.P99);
        Assert.Null(window.Mark());
    }
}
