using Broker.Cli.Top;

namespace Broker.Cli.Tests.Top;

/// <summary>Tests the rates between two readings, and their order.</summary>
public sealed class TopFrameTests
{
    private static readonly DateTimeOffset Begin = new(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);

    [Fact]
    public void Rates_are_the_growth_between_two_readings_divided_by_the_time()
    {
        TopSample before = Sample(0, new ConnectionEntry { Cid = 1, InMsgs = 10, OutMsgs = 20, InBytes = 30, OutBytes = 40 });
        TopSample now = Sample(2, new ConnectionEntry { Cid = 1, InMsgs = 14, OutMsgs = 30, InBytes = 31, OutBytes = 1040 });

        TopFrame frame = Frame(before, now);

        Assert.Equal(new TrafficRates(2, 5, 0.5, 500), Assert.Single(frame.Connections).Rates);
        Assert.Equal(new TrafficRates(2, 20, 200, 2000), frame.Rates);
    }

    [Fact]
    public void Without_an_earlier_reading_no_rate_is_known()
    {
        TopFrame frame = Frame(null, Sample(0, new ConnectionEntry { Cid = 1, InMsgs = 10 }));

        Assert.Equal(TrafficRates.Unknown, frame.Rates);
        Assert.Equal(TrafficRates.Unknown, Assert.Single(frame.Connections).Rates);
    }

    [Fact]
    public void A_server_that_has_started_again_has_no_rates_until_the_next_reading()
    {
        TopSample before = Sample(0, new ConnectionEntry { Cid = 1, InMsgs = 10 });
        TopSample now = Sample(2, new ConnectionEntry { Cid = 1, InMsgs = 20 });
        now = now with { Server = now.Server with { Start = Begin.AddSeconds(1) } };

        TopFrame frame = Frame(before, now);

        Assert.Equal(TrafficRates.Unknown, frame.Rates);
        Assert.Equal(TrafficRates.Unknown, Assert.Single(frame.Connections).Rates);
    }

    [Theory]
    [InlineData(1, 5.0)]
    [InlineData(-1, double.NaN)]
    public void A_connection_that_was_not_listed_before_has_a_rate_only_if_it_is_new(int startAfterReading, double rate)
    {
        var entry = new ConnectionEntry { Cid = 2, InMsgs = 10, Start = Begin.AddSeconds(startAfterReading) };

        TopFrame frame = Frame(Sample(0), Sample(2, entry));

        Assert.Equal(rate, Assert.Single(frame.Connections).Rates.MessagesIn);
    }

    [Theory]
    [InlineData("Rate", 3L, 1L, 2L)]
    [InlineData("Bytes", 1L, 2L, 3L)]
    [InlineData("Pending", 2L, 3L, 1L)]
    [InlineData("Subscriptions", 1L, 2L, 3L)]
    public void The_largest_value_comes_first_and_then_the_older_connection(string order, params long[] cids)
    {
        TopSample before = Sample(0, new ConnectionEntry { Cid = 1 }, new ConnectionEntry { Cid = 2 }, new ConnectionEntry { Cid = 3 });
        TopSample now = Sample(
            1,
            new ConnectionEntry { Cid = 3, OutMsgs = 7, PendingBytes = 1 },
            new ConnectionEntry { Cid = 2, InMsgs = 3, InBytes = 3, PendingBytes = 2 },
            new ConnectionEntry { Cid = 1, InMsgs = 2, OutMsgs = 2, OutBytes = 9 });

        var frame = TopFrame.Of(before, now, Enum.Parse<TopOrder>(order), TimeProvider.System);

        Assert.Equal(cids, frame.Connections.Select(static row => row.Entry.Cid));
    }

    [Fact]
    public void A_route_is_compared_with_the_route_of_the_same_name()
    {
        TopSample before = Sample(0) with { Routes = new RoutesPage { Routes = [new RouteEntry { Name = "logs", FromZeroMq = 4, Waiting = 2 }] } };
        TopSample now = Sample(2) with
        {
            Routes = new RoutesPage { Routes = [new RouteEntry { Name = "new" }, new RouteEntry { Name = "logs", FromZeroMq = 10, Waiting = 3, InFlight = 4 }] },
        };

        RouteRow[] routes = Frame(before, now).Routes!;

        Assert.Equal([double.NaN, 3], routes.Select(static route => route.FromZeroMq));
        Assert.Equal([null, 7], routes.Select(static route => route.Entry.Kept));
        Assert.Null(Frame(Sample(0), Sample(1)).Routes);
    }

    [Theory]
    [InlineData(0, "0")]
    [InlineData(0.04, "0.0")]
    [InlineData(3, "3")]
    [InlineData(3.46, "3.5")]
    [InlineData(45.6, "46")]
    [InlineData(999.4, "999")]
    [InlineData(999.6, "1.00K")]
    [InlineData(1234, "1.23K")]
    [InlineData(45_600, "45.6K")]
    [InlineData(99_960, "100K")]
    [InlineData(999_700, "1.00M")]
    [InlineData(2e18, "2.00E")]
    [InlineData(5e21, "5000E")]
    [InlineData(double.NaN, "-")]
    public void A_number_has_three_digits_and_a_unit(double value, string text) => Assert.Equal(text, ShortNumber.Of(value));

    private static TopFrame Frame(TopSample? before, TopSample now) => TopFrame.Of(before, now, TopOrder.Rate, TimeProvider.System);

    // The server's counters grow by 4, 40, 400 and 4,000 in two seconds.
    private static TopSample Sample(int second, params ConnectionEntry[] connections) => new(
        new ServerPage { ServerId = "one", Start = Begin, Now = Begin.AddSeconds(second), InMsgs = 2 * second, OutMsgs = 20 * second, InBytes = 200 * second, OutBytes = 2000 * second },
        new ConnectionsPage { Now = Begin.AddSeconds(second), Total = connections.Length, Connections = connections },
        null,
        second * TimeProvider.System.TimestampFrequency);
}
