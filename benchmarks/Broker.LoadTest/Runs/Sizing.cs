using Broker.LoadTest.Rows;

namespace Broker.LoadTest.Runs;

/// <summary>
/// Determines the number of messages of a row. It is the same for every server, so that the queued messages are
/// comparable.
/// </summary>
internal sealed class Sizing(Settings settings)
{
    public long FirstGuess(Row row) => Messages(row, settings.ShortestSeconds / row.NominalNanoseconds * 1e9);

    public long From(Row row, IReadOnlyList<Measurement> warmUps)
    {
        double[] nanoseconds = [.. warmUps.Where(measurement => !measurement.Lost).Select(measurement => measurement.Nanoseconds)];
        return nanoseconds.Length == 0
            ? FirstGuess(row)
            : Messages(row, Math.Max(Math.Min(settings.ShortestSeconds / nanoseconds.Min(), settings.LongestSeconds / nanoseconds.Max()), row.ShortestSeconds / nanoseconds.Min()) * 1e9);
    }

    private static long Messages(Row row, double counted)
    {
        long messages = Math.Max(row.FewestMessages, (long)(counted / row.Copies));
        return Math.Max(1, messages / row.Publishers) * row.Publishers;
    }
}
