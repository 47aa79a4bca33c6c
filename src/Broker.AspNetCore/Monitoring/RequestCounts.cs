namespace Broker.AspNetCore;

/// <summary>Counts the requests for each path. Only paths that were registered are counted. Thread-safe.</summary>
internal sealed class RequestCounts
{
    private readonly Lock _gate = new();
    private readonly SortedDictionary<string, long> _counts = new(StringComparer.Ordinal);

    internal void Know(string path)
    {
        lock (_gate)
        {
            _counts[path] = 0;
        }
    }

    internal void Count(string path)
    {
        lock (_gate)
        {
            _counts[path]++;
        }
    }

    internal Dictionary<string, long> ToDictionary()
    {
        lock (_gate)
        {
            return _counts.Where(c => c.Value != 0).ToDictionary(StringComparer.Ordinal);
        }
    }
}
