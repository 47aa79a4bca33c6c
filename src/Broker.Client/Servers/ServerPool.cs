using System.Runtime.InteropServices;

namespace Broker.Client;

/// <summary>
/// The servers to try, in turn: the configured servers and those that a server has listed in its INFO. Thread-safe.
/// </summary>
internal sealed class ServerPool
{
    // A large INFO could list thousands of servers.
    private const int MaxDiscovered = 256;

    // One refusal may come from a restarting server. A second refusal does not.
    private const int MaxRefusals = 2;

    private readonly Lock _gate = new();
    private readonly List<Entry> _entries = [];
    private readonly int _maxRefusals;
    private readonly bool _shuffle;
    private int _next;

    /// <param name="servers">The configured addresses.</param>
    /// <param name="retryRefused">Whether a server that refused the credentials is tried again without limit.</param>
    /// <param name="shuffle">Whether the servers are tried in a random order.</param>
    internal ServerPool(IEnumerable<string> servers, bool retryRefused = false, bool shuffle = false)
    {
        _shuffle = shuffle;
        _maxRefusals = retryRefused ? int.MaxValue : MaxRefusals;
        foreach (string server in servers)
        {
            _entries.Add(new Entry(ServerAddress.Parse(server), isDiscovered: false));
        }

        if (shuffle)
        {
            Random.Shared.Shuffle(CollectionsMarshal.AsSpan(_entries));
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

    /// <summary>Returns the next server. Returns null if every server has finally refused the credentials.</summary>
    internal ServerAddress? Next()
    {
        lock (_gate)
        {
            for (int i = 0; i < _entries.Count; i++)
            {
                Entry entry = _entries[_next++ % _entries.Count];
                if (entry.Refusals < _maxRefusals)
                {
                    return entry.Address;
                }
            }

            return null;
        }
    }

    /// <summary>Stores whether a server has refused or accepted the credentials.</summary>
    internal void RecordAttempt(ServerAddress address, bool refused)
    {
        lock (_gate)
        {
            if (_entries.Find(e => e.Address == address) is { } entry)
            {
                entry.Refusals = refused ? entry.Refusals + 1 : 0;
            }
        }
    }

    /// <summary>
    /// Replaces the servers that INFO messages have listed before by those that <paramref name="from"/> lists now.
    /// Returns whether at least one of the listed servers is new.
    /// </summary>
    internal bool ReplaceDiscovered(ServerAddress from, IReadOnlyList<string> listed)
    {
        lock (_gate)
        {
            var addresses = listed.Take(MaxDiscovered).Select(from.ParseListed).OfType<ServerAddress>()
                .DistinctBy(a => a.ToString(), StringComparer.OrdinalIgnoreCase).ToList();
            _entries.RemoveAll(e => e.IsDiscovered && e.Address != from && !addresses.Exists(a => Same(a, e.Address)));
            addresses.RemoveAll(a => _entries.Exists(e => Same(a, e.Address)));
            Entry[] added = [.. addresses.Select(a => new Entry(a, isDiscovered: true))];
            if (_shuffle)
            {
                Random.Shared.Shuffle(added);
            }

            _entries.AddRange(added);
            return addresses.Count != 0;
        }
    }

    private static bool Same(ServerAddress a, ServerAddress b)
        => a.Port == b.Port && string.Equals(a.Host, b.Host, StringComparison.OrdinalIgnoreCase);

    private sealed class Entry(ServerAddress address, bool isDiscovered)
    {
        internal ServerAddress Address { get; } = address;

        internal bool IsDiscovered { get; } = isDiscovered;

        internal int Refusals { get; set; }
    }
}
