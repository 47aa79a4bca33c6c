using Broker.LoadTest.Runs;

namespace Broker.LoadTest.Report;

/// <summary>What took part: version, memory and command line.</summary>
internal static class ServerTable
{
    public static Table Build(Results results)
    {
        var table = new Table("server", "version", "RSS MB, least", "most");
        foreach (Participant participant in results.Participants)
        {
            Spread? memory = Spread.Of(results.Samples.Where(sample => sample.Server == participant.Command.Name).Select(sample => sample.Measurement.ResidentBytes / 1e6));
            table.Add(
            [
                // Without folders: they say where somebody's machine keeps things, not what was measured.
                $"{participant.Command.Name}: {string.Join(' ', participant.Command.Arguments.Prepend(participant.Command.FileName).Select(Path.GetFileName))}",
                participant.Version,
                memory is { } least ? Format.Digits(least.Min) : Format.Nothing,
                memory is { } most ? Format.Digits(most.Max) : Format.Nothing,
            ]);
        }

        return table;
    }
}
