using Broker.LoadTest.Runs;

namespace Broker.LoadTest.Report;

/// <summary>A table of the servers: version, memory in the rows of the main table, and command line.</summary>
internal static class ServerTable
{
    public static Table Build(IReadOnlyList<Results> parts)
    {
        var table = new Table("server", "version", "RSS MB, least", "most");
        HashSet<string> rows = [.. parts.SelectMany(part => part.Rows).Where(row => row.InMainTable).Select(row => row.Name)];
        foreach (Participant participant in parts[0].Participants)
        {
            Spread? memory = Spread.Of(
                from part in parts
                from sample in part.Samples
                where sample.Server == participant.Command.Name && rows.Contains(sample.Row)
                select sample.Measurement.ResidentBytes / 1e6);
            table.Add(
            [
                // Remove the folders from the command line, because they only depend on the machine.
                $"{participant.Command.Name}: {string.Join(' ', participant.Command.Arguments.Prepend(participant.Command.FileName).Select(Path.GetFileName))}",
                participant.Version,
                memory is { } least ? Format.Digits(least.Min) : Format.Nothing,
                memory is { } most ? Format.Digits(most.Max) : Format.Nothing,
            ]);
        }

        return table;
    }
}
