using System.Globalization;
using Broker.HostileRun.Attacks;
using Broker.HostileRun.Honest;

namespace Broker.HostileRun.Reporting;

/// <summary>Compares what a run has shown with what is promised.</summary>
internal static class Promises
{
    private const double MostGrowth = 1.1;
    private const double MostSlower = 2;
    private const double MostMilliseconds = 10;
    private const double LeastOfRate = 0.95;
    private const int ShownFaults = 3;

    /// <summary>A sentence for each promise that was not kept.</summary>
    public static IReadOnlyList<string> Broken(RunSettings settings, RunOutcome outcome)
    {
        if (outcome.Ended is { } reason)
        {
            return [reason];
        }

        IEnumerable<string> broken = Attacks(settings, outcome).Concat(outcome.Honest.SelectMany(Losses)).Concat(Memory(outcome));
        return [.. settings.JudgesTimes ? broken.Concat(Times(outcome)) : broken];
    }

    private static IEnumerable<string> Attacks(RunSettings settings, RunOutcome outcome)
    {
        foreach (AttackKind kind in settings.Kinds)
        {
            long count = outcome.Attacks.GetValueOrDefault(kind.Name);
            if (count <= settings.LeastAttacks)
            {
                yield return Text($"The kind {kind.Name} attacked only {count:N0} times; more than {settings.LeastAttacks:N0} are wanted.");
            }
        }
    }

    private static IEnumerable<string> Losses(HonestResult result)
    {
        if (result.Counts.Sent == 0)
        {
            yield return Text($"The {result.Name} has sent nothing.");
        }

        if (result.Counts.Lost != 0)
        {
            yield return Text($"The {result.Name} has lost {result.Counts.Lost:N0} of {result.Counts.Sent:N0}.");
        }

        if (result.Counts.Wrong != 0)
        {
            yield return Text($"The {result.Name} has received {result.Counts.Wrong:N0} twice, late or with other contents.");
        }

        foreach (string fault in result.Faults.Take(ShownFaults))
        {
            yield return fault;
        }

        if (result.Faults.Count > ShownFaults)
        {
            yield return Text($"The {result.Name} had {result.Faults.Count - ShownFaults:N0} more faults.");
        }
    }

    private static IEnumerable<string> Memory(RunOutcome outcome)
    {
        if (outcome.Minutes.Count > 1 && outcome.Minutes[^1] > MostGrowth * outcome.Minutes[0])
        {
            double growth = (double)outcome.Minutes[^1] / outcome.Minutes[0];
            yield return Text($"The resident memory of minute {outcome.Minutes.Count} is {growth:0.00} times that of minute 1; at most {MostGrowth:0.0} is promised.");
        }
    }

    private static IEnumerable<string> Times(RunOutcome outcome)
    {
        foreach (HonestResult result in outcome.Honest)
        {
            if (result.Name == NumberedPair.Title && result.PerSecond < LeastOfRate * NumberedPair.PerSecond)
            {
                yield return Text($"The {result.Name} sent only {result.PerSecond:N0} messages a second; {NumberedPair.PerSecond:N0} are wanted.");
            }

            if (result.Name is Bystander.Title or HealthProbe.Title)
            {
                continue;
            }

            double? slower = result.Attacked.P99 / result.Alone.P99;
            if (slower > MostSlower)
            {
                yield return Text($"The p99 of the {result.Name} is {slower:0.0} times that without attackers; at most {MostSlower:0} times is promised.");
            }
        }

        HonestResult? bystander = outcome.Honest.FirstOrDefault(result => result.Name == Bystander.Title);
        if (bystander?.Attacked.P99 >= MostMilliseconds)
        {
            yield return Text($"The p99 of the {bystander.Name} is {bystander.Attacked.P99:0.0} ms; less than {MostMilliseconds:0} ms is promised.");
        }
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
