using Broker.LoadTest.Report;
using Broker.LoadTest.Rows;

namespace Broker.LoadTest.Churn;

/// <summary>The results of a churn run for one server.</summary>
internal sealed class ChurnOutcome(string server)
{
    public string Server { get; } = server;

    public Table Intervals { get; } = new("seconds", "connections", "RSS MB", "handles", "msg/s", "p50 µs", "p99 µs", "lost wake-ups");

    public Latency? Before { get; set; }

    public Latency? During { get; set; }

    public double? P99Ratio => During?.P99 / Before?.P99;

    /// <summary>
    /// The slope of the resident memory without the first fifth of the run, because a single initial growth is not a
    /// leak.
    /// </summary>
    public double BytesPerMinute { get; set; }

    public (int? Before, int? After) Handles { get; set; }

    public (long Published, long Received) FullRate { get; set; }

    public (long Expected, long Received) OnVisits { get; set; }

    public long Connections { get; set; }

    public long LostWakeUps { get; set; }

    /// <summary>The failures. If there is one, the exit code is 1.</summary>
    public List<string> Failures { get; } = [];
}
