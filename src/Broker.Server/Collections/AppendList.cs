namespace Broker.Server;

/// <summary>
/// A list that only grows. One thread at a time adds items, under a lock of the owner. Other threads may read
/// meanwhile: they see the items that existed when they began to read.
/// </summary>
internal sealed class AppendList<T>
{
    private T[] _items = new T[4];
    private volatile int _count;

    internal int Count => _count;

    /// <summary>The current items.</summary>
    internal ReadOnlySpan<T> Items
    {
        get
        {
            // The count is read first. The array is read later and therefore contains at least that many items.
            int count = _count;
            return Volatile.Read(ref _items).AsSpan(0, count);
        }
    }

    internal void Add(T item)
    {
        if (_count == _items.Length)
        {
            var larger = new T[_items.Length * 2];
            _items.CopyTo(larger, 0);
            Volatile.Write(ref _items, larger);
        }

        _items[_count] = item;
        _count++;
    }
}
