using System.Globalization;

namespace Broker.Cli.Bench;

/// <summary>A column of the results.</summary>
/// <param name="Name">The name in JSON and CSV.</param>
/// <param name="Heading">The head of the column in the table.</param>
/// <param name="Value">Returns the value; NaN if the result has none.</param>
/// <param name="Format">The format of the number in the table.</param>
internal sealed record BenchColumn(string Name, string Heading, Func<BenchResult, double> Value, string Format = "N0")
{
    private const double Megabyte = 1_000_000;

    private static readonly BenchColumn Messages = new("messages", "messages", static r => r.Messages);
    private static readonly BenchColumn Seconds = new("seconds", "seconds", static r => r.Time.TotalSeconds, "N2");
    private static readonly BenchColumn Bytes = new("megabytes_per_second", "MB/s", static r => r.ByteRate / Megabyte, "N1");
    private static readonly BenchColumn Cpu = new("server_cpu_percent", "server CPU %", static r => r.ServerProcessors * 100);
    private static readonly BenchColumn Lost = new("lost", "lost", static r => r.Lost);

    /// <summary>The columns of a pattern.</summary>
    public static BenchColumn[] Of(BenchPattern pattern) => pattern switch
    {
        BenchPattern.Publish =>
        [
            new("published_per_second", "published/s", static r => r.Rate), Bytes, Messages, Seconds, Cpu,
        ],
        BenchPattern.PublishAndSubscribe =>
        [
            new("published_per_second", "published/s", static r => r.Rate),
            new("received_per_second", "received/s", static r => r.ReceivedRate),
            Bytes, Messages, Lost, Seconds, Cpu,
        ],
        _ =>
        [
            new("replies_per_second", "replies/s", static r => r.Rate),
            new("p50_us", "p50 µs", static r => r.Times?.P50 ?? double.NaN),
            new("p90_us", "p90 µs", static r => r.Times?.P90 ?? double.NaN),
            new("p99_us", "p99 µs", static r => r.Times?.P99 ?? double.NaN),
            new("p999_us", "p99.9 µs", static r => r.Times?.P999 ?? double.NaN),
            new("longest_us", "longest µs", static r => r.Times?.Longest ?? double.NaN),
            Messages, Lost, Seconds, Cpu,
        ],
    };

    /// <summary>The value in the table.</summary>
    public string Shown(double value) => double.IsNaN(value) ? "-" : value.ToString(Format, CultureInfo.InvariantCulture);
}
