using Broker.LoadTest.Rows;

namespace Broker.LoadTest.Churn;

/// <summary>
/// Latencies since the last read and since the last mark. One thread adds values, and another thread reads.
/// </summary>
internal sealed class LatencyWindow
{
    private readonly Lock _lock = new();
    private readonly List<long> _ticks = [];
    private int _looked;

    public void Add(long ticks)
    {
        lock (_lock)
        {
            _ticks.Add(ticks);
        }
    }

    /// <summary>Returns the percentiles since the last read; null if there are no values.</summary>
    public Latency? Look()
    {
        lock (_lock)
        {
            long[] since = [.. _ticks.Skip(_looked)];
            _looked = _ticks.Count;
            return since.Length == 0 ? null : Latency.FromTicks(since);
        }
    }

    /// <summary>Returns the percentiles since the last mark and sets a new mark; null if there are no values.</summary>
    public Latency? Mark()
    {
        lock (_lock)
        {
            long[] all = [.. _ticks];
            _ticks.Clear();
            _looked = 0;
            return all.Length == 0 ? null : Latency.FromTicks(all);
        }
    }
}
