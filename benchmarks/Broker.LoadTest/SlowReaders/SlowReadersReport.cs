using System.Globalization;
using Broker.LoadTest.Report;
using Broker.LoadTest.Rows;

namespace Broker.LoadTest.SlowReaders;

/// <summary>The report: one line for each server, number of subscribers and reading speed.</summary>
internal static class SlowReadersReport
{
    public static string ToText(SlowReadersSettings settings, IReadOnlyList<SlowReadersOutcome> outcomes)
        => Head(settings, "") + "\n" + Lines(outcomes).ToText() + Failures(outcomes, "");

    public static string ToMarkdown(SlowReadersSettings settings, IReadOnlyList<SlowReadersOutcome> outcomes)
        => "# Slow readers\n\n" + Head(settings, "- ") + "\n" + Lines(outcomes).ToMarkdown() + "\n" + Failures(outcomes, "- ");

    private static string Head(SlowReadersSettings settings, string bullet)
        => $"{bullet}Machine: {MachineInfo.Machine}\n{bullet}System: {MachineInfo.System}; driver on {MachineInfo.Runtime}\n{bullet}Broker: {MachineInfo.BrokerVersion}\n{bullet}Settings: {settings}\n"
        + string.Create(CultureInfo.InvariantCulture, $"{bullet}Date: {DateTimeOffset.UtcNow:yyyy-MM-dd HH:mm} UTC\n");

    private static Table Lines(IReadOnlyList<SlowReadersOutcome> outcomes)
    {
        var table = new Table("server, readers", "received", "expected", "closed", "publish s", "all s", "CPU s", "peak MB", "PING p50 µs", "PING p99 µs", "p99 µs after 3 s", "round trip p99 µs", "round trip p99 µs after 3 s");
        foreach (SlowReadersOutcome o in outcomes)
        {
            table.Add(
            [
                string.Create(CultureInfo.InvariantCulture, $"{o.Server}, {o.Readers} {(o.AreSlow ? "slow" : "fast")}"),
                Count(o.Received),
                Count(o.Expected),
                Count(o.Closed),
                Format.Digits(o.PublishSeconds),
                Format.Digits(o.Seconds),
                Format.Digits(o.CpuSeconds),
                Count(o.PeakResidentBytes / 1_000_000),
                o.Bystander is null ? Format.Nothing : Format.Digits(o.Bystander.P50),
                P99(o.Bystander),
                P99(o.LaterBystander),
                P99(o.RoundTrips),
                P99(o.LaterRoundTrips),
            ]);
        }

        return table;
    }

    private static string Failures(IReadOnlyList<SlowReadersOutcome> outcomes, string bullet)
        => string.Concat(outcomes.Where(o => o.Failure is not null).Select(o => $"{bullet}FAILED {o.Server} with {o.Readers} readers: {o.Failure}\n"));

    private static string P99(Latency? latency) => latency is null ? Format.Nothing : Format.Digits(latency.P99);

    private static string Count(long value) => value.ToString("N0", CultureInfo.InvariantCulture);
}
