using System.Diagnostics;
using Broker.LoadTest.Rows;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Runs;

/// <summary>
/// Verifies every row with every server, warms up, and then measures in rounds over all rows. Within a round each row
/// runs with one server after another, in every second round in reverse order. So a temporarily slow machine affects
/// all servers equally.
/// </summary>
internal sealed class RoundRobin(
    Settings settings, IReadOnlyList<Row> rows, IServerPool servers, IServerPool freshServers, Attempts attempts, Results results, TextWriter progress)
{
    public void Run(CancellationToken cancellationToken)
    {
        // In the cold state the same rows have been verified just before.
        if (!settings.Cold)
        {
            Verify(cancellationToken);
        }

        Dictionary<Row, long> messages = WarmUp(cancellationToken);
        long started = Stopwatch.GetTimestamp();
        for (int round = 1; round <= settings.Rounds; round++)
        {
            progress.WriteLine($"round {round} of {settings.Rounds}, {Stopwatch.GetElapsedTime(started).TotalSeconds:0} s");
            foreach (Row row in rows.Where(row => round <= row.MostRounds))
            {
                foreach (Participant participant in results.InTurn(round))
                {
                    cancellationToken.ThrowIfCancellationRequested();
                    if (Measure(row, participant, messages[row]) is { } measurement)
                    {
                        results.Samples.Add(new Sample(row.Name, participant.Command.Name, round, measurement));
                    }
                }
            }
        }
    }

    private void Verify(CancellationToken cancellationToken)
    {
        progress.WriteLine("verifying: every byte of a small number of messages");
        foreach (Row row in rows.Where(row => !row.NeedsFreshServer))
        {
            foreach (Participant participant in results.Participants)
            {
                cancellationToken.ThrowIfCancellationRequested();
                attempts.With(servers, row, participant, target =>
                {
                    row.Verify(target);
                    return true;
                });
            }
        }
    }

    private Dictionary<Row, long> WarmUp(CancellationToken cancellationToken)
    {
        var sizing = new Sizing(settings);
        var messages = rows.ToDictionary(row => row, sizing.FirstGuess);
        for (int pass = 1; pass <= settings.WarmUps; pass++)
        {
            progress.WriteLine($"warm-up {pass} of {settings.WarmUps}");
            foreach (Row row in rows.Where(row => row.WarmsUp))
            {
                cancellationToken.ThrowIfCancellationRequested();
                Measurement[] seen = [.. results.Participants.Select(participant => Measure(row, participant, messages[row])).OfType<Measurement>()];
                messages[row] = sizing.From(row, seen);
            }
        }

        return messages;
    }

    private Measurement? Measure(Row row, Participant participant, long messages)
        => attempts.With(row.NeedsFreshServer ? freshServers : servers, row, participant, target => row.Measure(target, messages));
}
