using Broker.LoadTest.Rows;

namespace Broker.LoadTest.Churn;

/// <summary>Times since the last look, and since the last mark. One thread adds, another looks.</summary>
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

    /// <summary>Percentiles since the last look; null when there was nothing.</summary>
    public Latency? Look()
    {
        lock (_lock)
        {
            long[] since = [.. _ticks.Skip(_looked)];
            _looked = _ticks.Count;
            return since.Length == 0 ? null : Latency.FromTicks(since);
        }
    }

    /// <summary>Percentiles since the last mark, which is here now; null when there was nothing.</summary>
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
