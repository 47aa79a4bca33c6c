namespace Broker.Streams;

/// <summary>The message ids that a stream has received within its window.</summary>
internal sealed class DuplicateTable
{
    private readonly Dictionary<byte[], DuplicateEntry> _entries = new(SubjectComparer.Instance);
    private readonly Queue<DuplicateEntry> _byAge = new();

    internal int Count => _entries.Count;

    /// <summary>Forgets ids that are older than a time.</summary>
    internal void Trim(long before)
    {
        while (_byAge.TryPeek(out DuplicateEntry? oldest) && oldest.Time < before)
        {
            _byAge.Dequeue();
            if (_entries.TryGetValue(oldest.Id, out DuplicateEntry? current) && current == oldest)
            {
                _entries.Remove(oldest.Id);
            }
        }
    }

    internal DuplicateEntry? Find(ReadOnlySpan<byte> id)
        => _entries.GetAlternateLookup<ReadOnlySpan<byte>>().TryGetValue(id, out DuplicateEntry? entry) ? entry : null;

    internal DuplicateEntry Add(ReadOnlySpan<byte> id, ulong sequence, long time)
    {
        var entry = new DuplicateEntry(id.ToArray(), time) { Sequence = sequence };
        _entries[entry.Id] = entry;
        _byAge.Enqueue(entry);
        return entry;
    }

    /// <summary>Forgets the id of a message that was not stored.</summary>
    internal void Remove(DuplicateEntry entry) => _entries.Remove(entry.Id);
}
