using Broker.LoadTest.Driver;
using Broker.LoadTest.Servers;
using Broker.LoadTest.SlowReaders;

namespace Broker.Benchmarks.Tests.LoadTest;

public class SlowReadersTests
{
    private static readonly ServerCommand Ours = KnownServers.With([], []).Single(command => command.Name == KnownServers.Ours);

    [Fact]
    public void Every_subscriber_receives_everything_at_its_own_speed()
    {
        var settings = new SlowReadersSettings { Messages = 5_000, Readers = [2], BytesPerSecond = 10e6 };
        using var resources = new DriverResources();

        SlowReadersOutcome outcome = new SlowReadersRun(settings, Ours, resources).Run(2, areSlow: true, TestContext.Current.CancellationToken);

        Assert.Null(outcome.Failure);
        Assert.Equal(0, outcome.Closed);
        Assert.Equal((10_000, 10_000), (outcome.Expected, outcome.Received));
        Assert.NotNull(outcome.Bystander);
        Assert.NotNull(outcome.RoundTrips);
        Assert.Equal(outcome.Bystander.Count, outcome.RoundTrips.Count);
        Assert.True(outcome.RoundTrips.P99 <= outcome.Bystander.P99, "A PING was sent before it was due.");
        Assert.True(outcome.PeakResidentBytes > 0, "The memory of the server was not read.");

        // A subscriber cannot receive 5,000 KiB at 10 MB/s in less time. The last sleep can be up to 1 ms too short.
        Assert.True(outcome.Seconds > 0.5, $"The subscribers read faster than 10 MB/s: {outcome.Seconds} s.");
        Assert.Contains("broker, 2 slow", SlowReadersReport.ToText(settings, [outcome]), StringComparison.Ordinal);
    }

    [Fact]
    public void A_subscriber_that_the_server_closes_is_counted()
    {
        string file = Path.GetTempFileName();
        File.WriteAllText(file, "max_payload: 4KB\nmax_pending: 64KB\nno_fast_producer_stall: true\n");
        ServerCommand small = Ours with { Arguments = [.. Ours.Arguments, "-c", file] };
        var settings = new SlowReadersSettings { Messages = 20_000, Readers = [1], BytesPerSecond = 1e6 };
        using var resources = new DriverResources();
        try
        {
            SlowReadersOutcome outcome = new SlowReadersRun(settings, small, resources).Run(1, areSlow: true, TestContext.Current.CancellationToken);

            Assert.Equal(1, outcome.Closed);
            Assert.InRange(outcome.Received, 0, outcome.Expected - 1);
        }
        finally
        {
            File.Delete(file);
        }
    }
}
