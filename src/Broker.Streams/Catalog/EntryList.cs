namespace Broker.Streams;

/// <summary>
/// The messages of a stream by ascending sequence, in arrays of a fixed length. The front can be removed.
/// </summary>
internal sealed class EntryList
{
    private const int ChunkLength = 64;

    private readonly List<MessageEntry[]> _chunks = [];

    // Positions count from the start of the first chunk.
    private int _first;
    private int _end;

    internal int Count => _end - _first;

    internal ref MessageEntry this[int index]
    {
        get
        {
            int position = _first + index;
            return ref _chunks[position / ChunkLength][position % ChunkLength];
        }
    }

    internal void Add(in MessageEntry entry)
    {
        if (_end == _chunks.Count * ChunkLength)
        {
            _chunks.Add(new MessageEntry[ChunkLength]);
        }

        _chunks[_end / ChunkLength][_end % ChunkLength] = entry;
        _end++;
    }

    internal void RemoveFirst()
    {
        this[0] = default;
        _first++;

        // Chunks are removed many at a time, because the list moves the rest.
        int unused = _first / ChunkLength;
        if (unused > 16 && unused >= _chunks.Count / 2)
        {
            _chunks.RemoveRange(0, unused);
            _first -= unused * ChunkLength;
            _end -= unused * ChunkLength;
        }
        else if (_first == _end && _chunks.Count == 1)
        {
            _first = 0;
            _end = 0;
        }
    }

    /// <summary>Removes the entries of deleted messages.</summary>
    internal void RemoveDeleted()
    {
        int kept = 0;
        for (int i = 0; i < Count; i++)
        {
            if (!this[i].IsDeleted)
            {
                this[kept++] = this[i];
            }
        }

        _end = _first + kept;
        int chunks = (_end + ChunkLength - 1) / ChunkLength;
        _chunks.RemoveRange(chunks, _chunks.Count - chunks);
        if (_end % ChunkLength != 0)
        {
            // Moved entries must not keep segments and subjects in memory.
            _chunks[^1].AsSpan(_end % ChunkLength).Clear();
        }
    }

    /// <summary>Finds the first entry whose sequence is not smaller. Returns the count if there is none.</summary>
    internal int Find(ulong sequence)
    {
        int low = 0;
        int high = Count;
        if (high > 0 && sequence >= this[0].Sequence)
        {
            // No entry is behind the place that it has if none is missing before it.
            ulong most = sequence - this[0].Sequence;
            if (most < (ulong)high)
            {
                high = (int)most;
                if (this[high].Sequence == sequence)
                {
                    return high;
                }
            }
        }

        while (low < high)
        {
            int middle = low + ((high - low) / 2);
            if (this[middle].Sequence < sequence)
            {
                low = middle + 1;
            }
            else
            {
                high = middle;
            }
        }

        return low;
    }
}
