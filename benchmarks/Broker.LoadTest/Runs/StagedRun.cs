using Broker.LoadTest.Driver;
using Broker.LoadTest.Rows;
using Broker.LoadTest.Rows.Growth;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Runs;

/// <summary>
/// Measures one row after another. Each row has its own processes, which stay prepared through all rounds. The rounds
/// alternate between the servers as in other runs.
/// </summary>
internal sealed class StagedRun(Settings settings, IReadOnlyList<StagedRow> rows, DriverResources resources, Attempts attempts, Results results, TextWriter progress)
{
    public void Run(CancellationToken cancellationToken)
    {
        foreach (StagedRow row in rows)
        {
            progress.WriteLine(row.What);
            RunRow(row, cancellationToken);
        }
    }

    private void RunRow(StagedRow row, CancellationToken cancellationToken)
    {
        using var servers = new KeptServers(resources);
        var stages = new Dictionary<Participant, IStage>();
        try
        {
            foreach (Participant participant in results.Participants)
            {
                cancellationToken.ThrowIfCancellationRequested();
                if (attempts.With(servers, row, participant, row.Prepare) is not { } stage)
                {
                    continue;
                }

                stages.Add(participant, stage);
                Attempt(stage, row, participant, on =>
                {
                    on.Verify();
                    return true;
                });
            }

            Measure(row, stages, cancellationToken);
        }
        finally
        {
            foreach (IStage stage in stages.Values)
            {
                stage.Dispose();
            }
        }
    }

    private void Measure(StagedRow row, Dictionary<Participant, IStage> stages, CancellationToken cancellationToken)
    {
        var sizing = new Sizing(settings);
        long messages = sizing.FirstGuess(row);

        // The slowest server determines the time: no server may be measured while it still compiles code.
        for (double warmed = 0; warmed < settings.WarmUpSeconds;)
        {
            cancellationToken.ThrowIfCancellationRequested();
            Measurement[] seen = [.. stages.Select(pair => Attempt(pair.Value, row, pair.Key, stage => stage.Measure(messages))).OfType<Measurement>()];
            if (seen.Length == 0)
            {
                return;
            }

            warmed += seen.Min(measurement => measurement.Seconds);
            messages = sizing.From(row, seen);
        }

        for (int round = 1; round <= Math.Min(settings.Rounds, row.MostRounds); round++)
        {
            foreach (Participant participant in results.InTurn(round).Where(stages.ContainsKey))
            {
                cancellationToken.ThrowIfCancellationRequested();
                if (Attempt(stages[participant], row, participant, stage => stage.Measure(messages)) is { } measurement)
                {
                    results.Samples.Add(new Sample(row.Name, participant.Command.Name, round, measurement));
                }
            }
        }
    }

    private T? Attempt<T>(IStage stage, StagedRow row, Participant participant, Func<IStage, T> action)
    {
        if (attempts.HasFailed(row, participant))
        {
            return default;
        }

        try
        {
            return action(stage);
        }
        catch (Exception e) when (Attempts.IsServersFault(e))
        {
            attempts.Fail(row, participant, e);
            return default;
        }
    }
}
