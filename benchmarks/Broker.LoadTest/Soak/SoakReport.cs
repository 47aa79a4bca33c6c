using System.Globalization;
using System.Text;
using Broker.LoadTest.Report;

namespace Broker.LoadTest.Soak;

/// <summary>The lines of a soak and its conclusion.</summary>
internal sealed class SoakReport(SoakSettings settings)
{
    private const double MB = 1e6;
    private const int LateAllowed = 3;

    private readonly List<SoakSample> _samples = [];
    private readonly Table _table = new(
        "minutes", "disk MB", "RSS MB", "heap MB", "files", "CPU %", "published", "acknowledged", "consumed", "again", "changes", "outstanding", "late", "refused");

    /// <summary>The failures. If there is one, the exit code is 1.</summary>
    public List<string> Failures { get; } = [];

    /// <summary>Adds a line, and returns it.</summary>
    public string Add(in SoakSample sample, SoakCounts counts, int outstanding)
    {
        SoakSample before = _samples.Count == 0 ? default : _samples[^1];
        double seconds = (sample.Minutes - before.Minutes) * 60;
        double processor = seconds > 0 ? (sample.ProcessorSeconds - before.ProcessorSeconds) / seconds * 100 : 0;
        _samples.Add(sample);
        string[] cells =
        [
            sample.Minutes.ToString("0.0", CultureInfo.InvariantCulture), Megabytes(sample.DiskBytes), Megabytes(sample.ResidentBytes), Megabytes(sample.HeapBytes),
            sample.Files?.ToString(CultureInfo.InvariantCulture) ?? Format.Nothing, processor.ToString("0.0", CultureInfo.InvariantCulture), Count(counts.Published),
            Count(counts.Acknowledged), Count(counts.Consumed), Count(counts.Redelivered), Count(counts.Changes), Count(outstanding), Count(counts.Late), Count(counts.Refused),
        ];
        _table.Add(cells);
        return string.Join("  ", cells);
    }

    /// <summary>Concludes the run: whether the second half was flat, and whether anything was lost.</summary>
    public void Conclude(SoakCounts counts, int lost)
    {
        foreach (Flatness kind in Kinds().Where(static kind => !kind.IsFlat))
        {
            Failures.Add(string.Create(CultureInfo.InvariantCulture, $"{kind.What} grew by {kind.Growth:0.0} in the second half; {kind.Allowed:0.0} is flat"));
        }

        if (lost > 0)
        {
            Failures.Add($"{lost} acknowledged messages were not received");
        }

        // A busy machine is late sometimes. A server that does not answer one kind of request any more is late always.
        if (counts.Late > Math.Max(LateAllowed, counts.Changes / 100))
        {
            Failures.Add($"{counts.Late} answers did not come in time; the first: {counts.FirstLate}");
        }

        if (counts.Refused > 0)
        {
            Failures.Add($"{counts.Refused} requests were refused or had a wrong answer; the first: {counts.FirstRefusal}");
        }
    }

    public string ToText()
    {
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $"Machine: {MachineInfo.Machine}\nSystem: {MachineInfo.System}\nBroker: {MachineInfo.BrokerVersion}\nSettings: {settings}\n\n");
        text.Append(_table.ToText()).Append('\n');
        var half = new Table("second half", "mean", "growth", "allowed", "");
        foreach (Flatness kind in Kinds())
        {
            half.Add([kind.What, Digits(kind.Mean), Digits(kind.Growth), Digits(kind.Allowed), kind.IsFlat ? "flat" : "grows"]);
        }

        text.Append(half.ToText()).Append('\n');
        return text.AppendJoin("", Failures.Select(static failure => $"FAILED: {failure}\n")).ToString();
    }

    private IEnumerable<Flatness> Kinds()
    {
        // Files have 64 MiB, and appear and disappear as a whole. The heap goes up and down by what collections leave.
        Flatness?[] kinds =
        [
            Of("disk MB", static sample => sample.DiskBytes / MB, 0.1, 2 * 67.1),
            Of("RSS MB", static sample => sample.ResidentBytes / MB, 0.05, 8),
            Of("heap MB", static sample => sample.HeapBytes / MB, 0.1, 8),
            Of("files", static sample => sample.Files ?? 0, 0.05, 3),
        ];
        return kinds.OfType<Flatness>();
    }

    private Flatness? Of(string what, Func<SoakSample, double> value, double share, double step)
        => Flatness.Of(what, [.. _samples.Select(sample => (sample.Minutes, value(sample)))], share, step);

    private static string Megabytes(long bytes) => (bytes / MB).ToString("0.0", CultureInfo.InvariantCulture);

    private static string Count(long value) => value.ToString(CultureInfo.InvariantCulture);

    private static string Digits(double value) => value.ToString("0.0", CultureInfo.InvariantCulture);
}
