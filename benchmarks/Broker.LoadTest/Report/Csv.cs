using System.Globalization;
using System.Text;
using Broker.LoadTest.Rows;
using Broker.LoadTest.Runs;

namespace Broker.LoadTest.Report;

/// <summary>Every single measurement, one line each (RFC 4180): all tables can be made again from it.</summary>
internal static class Csv
{
    public static string Build(Results results)
    {
        var text = new StringBuilder("row,server,version,round,messages,seconds,msg_per_s,cpu_s,cpu_ns_per_msg,rss_bytes,p50_us,p99_us,p999_us,lost\r\n");
        Dictionary<string, string> versions = results.Participants.ToDictionary(p => p.Command.Name, p => p.Version, StringComparer.Ordinal);
        foreach (Sample sample in results.Samples)
        {
            Measurement m = sample.Measurement;
            object?[] cells =
            [
                sample.Row, Quote(sample.Server), Quote(versions[sample.Server]), sample.Round, m.Messages,
                Unless(m.Lost, m.Seconds), Unless(m.Lost, m.Rate), Unless(m.Lost, m.CpuSeconds), Unless(m.Lost, m.CpuNanoseconds),
                m.ResidentBytes, m.Latency?.P50, m.Latency?.P99, m.Latency?.P999, m.Lost ? 1 : 0,
            ];
            text.AppendJoin(',', cells.Select(cell => Convert.ToString(cell, CultureInfo.InvariantCulture))).Append("\r\n");
        }

        return text.ToString();
    }

    private static double? Unless(bool lost, double value) => lost ? null : value;

    private static string Quote(string text) => text.AsSpan().ContainsAny(',', '"') ? $"\"{text.Replace("\"", "\"\"", StringComparison.Ordinal)}\"" : text;
}
