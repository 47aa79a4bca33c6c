namespace Broker.Server.Collections;

/// <summary>A list that only grows. One adds at a time, under a lock of its own; any thread may read meanwhile, and sees what was there.</summary>
internal sealed class AppendList<T>
{
    private T[] _items = new T[4];
    private volatile int _count;

    internal int Count => _count;

    /// <summary>What is in it now.</summary>
    internal ReadOnlySpan<T> Items
    {
        get
        {
            // The count first: an array that is read later holds as many at least.
            int count = _count;
            return Volatile.Read(ref _items).AsSpan(0, count);
        }
    }

    internal void Add(T item)
    {
        if (_count == _items.Length)
        {
            T[] larger = new T[_items.Length * 2];
            _items.CopyTo(larger, 0);
            Volatile.Write(ref _items, larger);
        }

        _items[_count] = item;
        _count++;
    }
}
