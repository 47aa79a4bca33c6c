namespace Broker.Streams;

/// <summary>
/// The messages of a consumer that are not acknowledged, by ascending sequence, in one array. Acknowledged ones in the
/// middle leave when they are the greater part.
/// </summary>
internal sealed class PendingList
{
    private const int LeastLength = 16;

    private PendingMessage[] _items = [];
    private int _first;
    private int _end;

    /// <summary>The number of messages.</summary>
    internal int Count { get; private set; }

    /// <summary>The first message. There must be one.</summary>
    internal ref PendingMessage First => ref _items[_first];

    /// <summary>All entries; those of acknowledged messages must be skipped.</summary>
    internal Span<PendingMessage> Entries => _items.AsSpan(_first, _end - _first);

    /// <summary>Adds a message, or replaces the entry of its sequence.</summary>
    internal void Add(in PendingMessage message)
    {
        if (_first < _end && _items[_end - 1].Sequence >= message.Sequence)
        {
            Insert(message);
            return;
        }

        Reserve();
        _items[_end++] = message;
        Count++;
    }

    /// <summary>Finds a message. Returns its place among <see cref="Entries"/>, or -1.</summary>
    internal int Find(ulong sequence)
    {
        int index = Place(sequence);
        return index < _end && _items[index].Sequence == sequence && !_items[index].IsGone ? index - _first : -1;
    }

    /// <summary>Removes a message. Returns false if it is not there.</summary>
    internal bool Remove(ulong sequence)
    {
        int index = Find(sequence);
        if (index < 0)
        {
            return false;
        }

        _items[_first + index].IsGone = true;
        Count--;
        while (_first < _end && _items[_first].IsGone)
        {
            _first++;
        }

        if (_first == _end)
        {
            _first = _end = 0;
        }

        return true;
    }

    internal void Clear()
    {
        _items = [];
        _first = _end = Count = 0;
    }

    private int Place(ulong sequence)
    {
        int low = _first;
        int high = _end;
        while (low < high)
        {
            int middle = low + ((high - low) / 2);
            if (_items[middle].Sequence < sequence)
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

    private void Insert(in PendingMessage message)
    {
        int index = Place(message.Sequence);
        if (_items[index].Sequence == message.Sequence)
        {
            Count += _items[index].IsGone ? 1 : 0;
            _items[index] = message;
            return;
        }

        Reserve();
        index = Place(message.Sequence);
        _items.AsSpan(index, _end - index).CopyTo(_items.AsSpan(index + 1));
        _items[index] = message;
        _end++;
        Count++;
    }

    private void Reserve()
    {
        if (_end < _items.Length)
        {
            return;
        }

        // The entries of acknowledged messages leave, and the array grows only if it is still more than half full.
        int kept = 0;
        foreach (PendingMessage message in Entries)
        {
            if (!message.IsGone)
            {
                _items[kept++] = message;
            }
        }

        (_first, _end) = (0, kept);
        if (kept > _items.Length / 2 || _items.Length == 0)
        {
            Array.Resize(ref _items, Math.Max(LeastLength, _items.Length * 2));
        }
    }
}
