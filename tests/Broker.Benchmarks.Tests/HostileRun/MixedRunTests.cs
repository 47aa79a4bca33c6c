using Broker.HostileRun;
using Broker.HostileRun.Reporting;

namespace Broker.Benchmarks.Tests.HostileRun;

public sealed class MixedRunTests
{
    [Fact]
    public async Task Beside_attackers_of_every_kind_nothing_honest_is_lost()
    {
        var settings = new RunSettings { Duration = TimeSpan.FromSeconds(3), MaxExtraTime = Wait.Limit, JudgesTimes = false };
        using var progress = new StringWriter();

        RunOutcome outcome = await new MixedRun(settings, progress).RunAsync(TestContext.Current.CancellationToken);

        Assert.Empty(Promises.Broken(settings, outcome));
        Assert.Equal(settings.Kinds.Select(kind => kind.Name).Order(), outcome.Attacks.Keys.Order());
        Assert.All(outcome.Honest, result => Assert.Equal(result.Counts.Sent, result.Counts.Received));
        TestContext.Current.TestOutputHelper?.WriteLine(RunReport.ToText(settings, outcome, []));
    }
}
