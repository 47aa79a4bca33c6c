using Broker.HostileRun;
using Broker.HostileRun.Attacks;
using Broker.HostileRun.Honest;
using Broker.HostileRun.Reporting;

namespace Broker.Benchmarks.Tests.HostileRun;

public sealed class PromisesTests
{
    [Fact]
    public void A_run_that_kept_every_promise_has_no_sentences() => Assert.Empty(Broken());

    [Theory]
    [InlineData(99, 100, 0, "lost 1 of 100")]
    [InlineData(100, 100, 1, "received 1 twice")]
    [InlineData(0, 0, 0, "sent nothing")]
    public void Counts_that_are_not_exact_are_broken_promises(long received, long sent, long wrong, string sentence)
        => Assert.Contains(sentence, Assert.Single(Broken(result => result with { Counts = new HonestCounts(sent, received, wrong) })), StringComparison.Ordinal);

    [Fact]
    public void A_closed_honest_connection_is_a_broken_promise()
        => Assert.Equal("it was closed", Assert.Single(Broken(result => result with { Faults = ["it was closed"] })));

    [Fact]
    public void A_kind_that_attacked_a_thousand_times_in_five_minutes_attacked_too_little()
    {
        RunOutcome outcome = Kept();
        outcome.Attacks = Catalogue.All.ToDictionary(kind => kind.Name, kind => kind == Catalogue.All[0] ? 1_000L : 1_001L);

        Assert.Contains(Catalogue.All[0].Name, Assert.Single(Promises.Broken(new RunSettings(), outcome)), StringComparison.Ordinal);
    }

    [Fact]
    public void Memory_that_grew_by_more_than_a_tenth_is_a_broken_promise()
    {
        RunOutcome outcome = Kept();
        outcome.Minutes[^1] = 1_111;

        Assert.Contains("resident memory", Assert.Single(Promises.Broken(new RunSettings(), outcome)), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("other", 1, 2.1, 20_000)]
    [InlineData(Bystander.Title, 20, 10, 100)]
    [InlineData(NumberedPair.Title, 1, 1, 18_000)]
    public void Times_are_promises_only_where_they_are_judged(string name, double alone, double attacked, double perSecond)
    {
        HonestResult Slow(HonestResult result) => result with { Name = name, Alone = (0, alone, alone), Attacked = (0, attacked, attacked), PerSecond = perSecond };

        Assert.Single(Broken(Slow));
        Assert.Empty(Broken(Slow, new RunSettings { JudgesTimes = false }));
    }

    [Fact]
    public void A_run_that_ended_early_says_only_why()
    {
        RunOutcome outcome = Kept();
        outcome.Attacks = new Dictionary<string, long>();
        outcome.Ended = "The broker has ended.";

        Assert.Equal(["The broker has ended."], Promises.Broken(new RunSettings(), outcome));
    }

    [Fact]
    public async Task Arrivals_count_numbers_that_come_twice_and_numbers_that_come_late()
    {
        var arrivals = new Arrivals();
        foreach (long number in (long[])[0, 1, 1, 4, 3, 5, 2])
        {
            arrivals.Add(number);
        }

        HonestCounts counts = await arrivals.WaitAsync(6);

        Assert.Equal(new HonestCounts(Sent: 6, Received: 6, Wrong: 3), counts);
    }

    [Fact]
    public void What_was_sent_and_not_received_is_lost() => Assert.Equal(2, new HonestCounts(Sent: 6, Received: 4, Wrong: 0).Lost);

    private static IReadOnlyList<string> Broken(Func<HonestResult, HonestResult>? change = null, RunSettings? settings = null)
    {
        RunOutcome outcome = Kept();
        outcome.Honest[0] = (change ?? (result => result))(outcome.Honest[0]);
        return Promises.Broken(settings ?? new RunSettings(), outcome);
    }

    private static RunOutcome Kept()
    {
        var outcome = new RunOutcome { Attacks = Catalogue.All.ToDictionary(kind => kind.Name, _ => 1_001L) };
        outcome.Honest.Add(new HonestResult("pair", new HonestCounts(100, 100, 0), []) { Alone = (1, 1, 1), Attacked = (1, 2, 3), PerSecond = 20_000 });
        outcome.Minutes.AddRange([1_000, 2_000, 900, 1_000, 1_100]);
        return outcome;
    }
}
