using Broker.LoadTest.Agreement;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Runs;
using Broker.LoadTest.Servers;

namespace Broker.Benchmarks.Tests.LoadTest;

public class AgreementTests
{
    [Fact]
    public void Each_row_is_measured_by_both_drivers_at_the_same_server()
    {
        IReadOnlyList<BenchRow> rows = BenchRow.Select(["twoconns16", "request16", "real-pub16-10k"]);
        ServerCommand server = KnownServers.With([], []).Single(static command => command.Name == KnownServers.Ours);
        using var resources = new DriverResources();
        using var progress = new StringWriter();
        var bench = new BenchProcess(BenchProcess.Built, TimeSpan.FromMilliseconds(50), sessions: 2);

        IReadOnlyList<AgreementOutcome> outcomes = new AgreementRun(rows, rounds: 2, new Settings { Quick = true, Rounds = 2 }, bench, server, resources)
            .Run(progress, TestContext.Current.CancellationToken);

        Assert.Equal(rows.Select(static row => row.Name), outcomes.Select(static outcome => outcome.Row));
        Assert.All(outcomes, static outcome =>
        {
            Assert.Equal((2, 2), (outcome.Load.Count, outcome.Bench.Count));
            Assert.All(outcome.Load.Concat(outcome.Bench), static rate => Assert.True(rate > 0));
        });
        Assert.All(rows, row => Assert.Contains($"\n{row.Name} ", AgreementReport.ToText(2, outcomes), StringComparison.Ordinal));
    }

    [Fact]
    public void Every_row_of_broker_bench_is_a_row_of_the_load_test()
        => Assert.All(BenchRow.All, static row => Assert.Equal(row.Name, row.Row.Name));

    [Fact]
    public void A_ratio_is_that_of_the_medians()
        => Assert.Equal(1.5, new AgreementOutcome("pub16", [1, 2, 90], [3, 1, 80]).Ratio);

    [Fact]
    public void A_program_that_fails_is_an_error_with_its_last_words()
    {
        using var resources = new DriverResources();
        using var server = ServerProcess.Start(KnownServers.With([], []).Single(static command => command.Name == KnownServers.Ours), resources);
        BenchRow row = BenchRow.Select(["pub16"])[0] with { Arguments = ["pub", "foo", "--no-such-flag"] };

        DriverException e = Assert.Throws<DriverException>(
            () => new BenchProcess(BenchProcess.Built, TimeSpan.FromMilliseconds(50), sessions: 1).Measure(row, server, TestContext.Current.CancellationToken));

        Assert.Contains("--no-such-flag", e.Message, StringComparison.Ordinal);
    }
}
