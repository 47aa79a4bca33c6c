namespace Broker.Streams;

/// <summary>Gives objects numbers. The number of an object that was removed is given to a later one.</summary>
internal sealed class SlotList<T>
    where T : class
{
    private readonly List<T?> _items = [];
    private readonly Stack<int> _free = [];

    /// <summary>The number of numbers, with those that are free.</summary>
    internal int Capacity => _items.Count;

    /// <summary>The object with a number; null if it was removed.</summary>
    internal T? this[int slot] => _items[slot];

    /// <summary>Adds an object and returns its number.</summary>
    internal int Add(T item)
    {
        if (_free.TryPop(out int slot))
        {
            _items[slot] = item;
            return slot;
        }

        _items.Add(item);
        return _items.Count - 1;
    }

    /// <summary>Removes the object with a number, which must be there.</summary>
    internal T Remove(int slot)
    {
        T item = _items[slot] ?? throw new InvalidOperationException($"No object has the number {slot}.");
        _items[slot] = null;
        _free.Push(slot);
        return item;
    }
}
