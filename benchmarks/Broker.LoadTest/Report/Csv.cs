using System.Globalization;
using System.Text;
using Broker.LoadTest.Rows;
using Broker.LoadTest.Runs;

namespace Broker.LoadTest.Report;

/// <summary>Writes every measurement as one line (RFC 4180). All tables can be created from it again.</summary>
internal static class Csv
{
    private const string Header =
        "row,server,version,round,messages,seconds,msg_per_s,cpu_s,cpu_ns_per_msg,rss_bytes,p50_us,p99_us,p999_us,lost,"
        + "state,dimension,point,held,rss_before,rss_after,idle_s,idle_cpu_s,pause_p50_us,pause_p99_us,round_trips,start_connect_s,start_info_s\r\n";

    public static string Build(IReadOnlyList<Results> parts)
    {
        var text = new StringBuilder(Header);
        foreach (Results results in parts)
        {
            var versions = results.Participants.ToDictionary(p => p.Command.Name, p => p.Version, StringComparer.Ordinal);
            var rows = results.Rows.ToDictionary(row => row.Name, StringComparer.Ordinal);
            foreach (Sample sample in results.Samples)
            {
                Line(text, sample, versions[sample.Server], rows[sample.Row].Point, results.Settings.Cold ? "cold" : "warm");
            }
        }

        return text.ToString();
    }

    private static void Line(StringBuilder text, Sample sample, string version, Point? point, string state)
    {
        Measurement m = sample.Measurement;
        object?[] cells =
        [
            sample.Row, sample.Server, version, sample.Round, m.Messages,
            Unless(m.Lost, m.Seconds), Unless(m.Lost, m.Rate), Unless(m.Lost, m.CpuSeconds), Unless(m.Lost, m.CpuNanoseconds),
            m.ResidentBytes, m.Latency?.P50, m.Latency?.P99, m.Latency?.P999, m.Lost ? 1 : 0,
            state, point?.Dimension, point?.Label, m.Footprint?.Count, m.Footprint?.BytesBefore, m.Footprint?.BytesAfter,
            m.Idle?.Seconds, m.Idle?.CpuSeconds, m.AfterPause?.P50, m.AfterPause?.P99, m.Latency?.Count,
            m.Start?.ToConnection.TotalSeconds, m.Start?.ToInfo.TotalSeconds,
        ];
        text.AppendJoin(',', cells.Select(cell => Quote(Convert.ToString(cell, CultureInfo.InvariantCulture) ?? ""))).Append("\r\n");
    }

    private static double? Unless(bool lost, double value) => lost ? null : value;

    private static string Quote(string text) => text.AsSpan().ContainsAny(',', '"') ? $"\"{text.Replace("\"", "\"\"", StringComparison.Ordinal)}\"" : text;
}
