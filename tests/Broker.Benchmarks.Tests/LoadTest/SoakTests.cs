using Broker.LoadTest.Soak;

namespace Broker.Benchmarks.Tests.LoadTest;

public class SoakTests
{
    [Fact]
    public void A_saw_tooth_is_flat_and_a_slope_is_not()
    {
        Flatness tooth = Of(static minute => 100 + (minute % 5));
        Flatness slope = Of(static minute => 100 + minute);

        Assert.True(tooth.IsFlat);
        Assert.False(slope.IsFlat);
        Assert.Equal(29, slope.Growth, 0.01);
        Assert.Equal((0.05 * 144.5) + 3, slope.Allowed, 0.01);
    }

    [Fact]
    public void Growth_in_the_first_half_and_shrinking_are_flat()
    {
        Assert.True(Of(static minute => Math.Min(minute, 30) * 10).IsFlat);
        Assert.True(Of(static minute => 1000 - minute).IsFlat);
    }

    [Fact]
    public void Too_few_values_have_no_growth() => Assert.Null(Flatness.Of("x", [(0, 1), (1, 1), (2, 1)], 0, 0));

    [Fact]
    public async Task A_short_soak_receives_what_was_acknowledged_and_is_refused_nothing()
    {
        using var progress = new StringWriter();
        var settings = new SoakSettings { Duration = TimeSpan.FromSeconds(4), Rate = 200 };

        SoakReport report = await new SoakRun(settings, progress).RunAsync(TestContext.Current.CancellationToken);

        Assert.DoesNotContain(report.Failures, static failure => failure.Contains("received", StringComparison.Ordinal) || failure.Contains("refused", StringComparison.Ordinal));
        Assert.Contains("acknowledged", report.ToText(), StringComparison.Ordinal);
        Assert.NotEmpty(progress.ToString());
    }

    [Fact]
    public void A_soak_fails_if_one_of_a_hundred_requests_is_not_answered_in_time()
    {
        var counts = new SoakCounts();
        for (int i = 0; i < 400; i++)
        {
            counts.OnChange();
        }

        for (int i = 0; i < 4; i++)
        {
            counts.OnError(new TimeoutException("late"));
        }

        var few = new SoakReport(Settings);
        few.Conclude(counts, lost: 0);
        counts.OnError(new TimeoutException("late"));
        var many = new SoakReport(Settings);
        many.Conclude(counts, lost: 0);

        Assert.Empty(few.Failures);
        Assert.Equal("5 answers did not come in time; the first: late", Assert.Single(many.Failures));
    }

    private static SoakSettings Settings => new() { Duration = TimeSpan.FromHours(1), Rate = 300 };

    // An hour of one value for each minute; 5 % and 3 are allowed.
    private static Flatness Of(Func<int, double> value)
        => Flatness.Of("x", [.. Enumerable.Range(0, 60).Select(minute => ((double)minute, value(minute)))], 0.05, 3)!;
}
