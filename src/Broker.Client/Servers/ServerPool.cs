namespace Broker.Client.Servers;

/// <summary>The servers to choose from, in turn: those that were named and those that a server told of. Thread-safe.</summary>
internal sealed class ServerPool
{
    // An INFO of the largest size could name thousands.
    private const int MostLearnt = 256;

    // A second refusal by the same server is no accident of its restart.
    private const int MostRefusals = 2;

    private readonly Lock _gate = new();
    private readonly List<Entry> _entries = [];
    private readonly int _mostRefusals;
    private int _next;

    /// <param name="servers">Those that were named.</param>
    /// <param name="retryRefused">Whether one that refused the credentials is tried again without end.</param>
    internal ServerPool(IEnumerable<string> servers, bool retryRefused = false)
    {
        _mostRefusals = retryRefused ? int.MaxValue : MostRefusals;
        foreach (string server in servers)
        {
            _entries.Add(new Entry(ServerAddress.Parse(server), learnt: false));
        }
    }

    internal int Count
    {
        get
        {
            lock (_gate)
            {
                return _entries.Count;
            }
        }
    }

    /// <summary>The next server; null when every one has refused the credentials for good.</summary>
    internal ServerAddress? Next()
    {
        lock (_gate)
        {
            for (int i = 0; i < _entries.Count; i++)
            {
                Entry entry = _entries[_next++ % _entries.Count];
                if (entry.Refusals < _mostRefusals)
                {
                    return entry.Address;
                }
            }

            return null;
        }
    }

    /// <summary>Notes that a server took the credentials, or did not.</summary>
    internal void Note(ServerAddress address, bool refused)
    {
        lock (_gate)
        {
            if (_entries.Find(e => e.Address == address) is { } entry)
            {
                entry.Refusals = refused ? entry.Refusals + 1 : 0;
            }
        }
    }

    /// <summary>Replaces what was learnt before by what <paramref name="from"/> tells now. Returns whether anything is new.</summary>
    internal bool Learn(ServerAddress from, IReadOnlyList<string> told)
    {
        lock (_gate)
        {
            var addresses = told.Take(MostLearnt).Select(from.Neighbour).OfType<ServerAddress>()
                .DistinctBy(a => a.ToString(), StringComparer.OrdinalIgnoreCase).ToList();
            _entries.RemoveAll(e => e.Learnt && e.Address != from && !addresses.Exists(a => Same(a, e.Address)));
            addresses.RemoveAll(a => _entries.Exists(e => Same(a, e.Address)));
            _entries.AddRange(addresses.Select(a => new Entry(a, learnt: true)));
            return addresses.Count != 0;
        }
    }

    private static bool Same(ServerAddress a, ServerAddress b)
        => a.Port == b.Port && string.Equals(a.Host, b.Host, StringComparison.OrdinalIgnoreCase);

    private sealed class Entry(ServerAddress address, bool learnt)
    {
        internal ServerAddress Address { get; } = address;

        internal bool Learnt { get; } = learnt;

        internal int Refusals { get; set; }
    }
}
