namespace Broker.Bridge;

/// <summary>
/// The recent deliveries of a stream to this egress, and whether PUSH took them. It detects messages that are delivered
/// again.
/// </summary>
/// <param name="capacity">The largest number of deliveries.</param>
internal sealed class RecentDeliveries(int capacity)
{
    private readonly int _mostOrdered = MostOrdered(capacity);
    private readonly Dictionary<(long Sequence, long Stored), Entry> _entries = new(capacity + 1);

    // The oldest entry is first. A removed message stays in the queue and may be added again. So an item of the queue
    // is valid only if it has the same number as the entry of its message.
    private readonly Queue<((long Sequence, long Stored) Key, long Number)> _order = new(MostOrdered(capacity) + 1);

    private (long Sequence, long Stored) _newest;
    private long _lastNumber;

    /// <summary>The number of messages.</summary>
    internal int Count => _entries.Count;

    /// <summary>The length of the order queue, including removed messages.</summary>
    internal int Ordered => _order.Count;

    /// <summary>Returns whether the message was recently delivered, and whether PUSH took it.</summary>
    internal bool TryGet(in DeliverySubject delivery, out bool taken)
    {
        bool isKnown = _entries.TryGetValue(KeyOf(delivery), out Entry entry);
        taken = entry.Taken;
        return isKnown;
    }

    /// <summary>
    /// Returns whether the stream has delivered the message before, to this egress or to another egress. Either its
    /// delivery count shows that, or a message that was stored later has already arrived: a server that was killed may
    /// lose the record of its last deliveries and repeat them as first deliveries, and it may assign sequence numbers
    /// twice.
    /// </summary>
    internal bool WasDeliveredBefore(in DeliverySubject delivery)
        => delivery.Delivered > 1 || !IsNewer(KeyOf(delivery));

    /// <summary>Adds a message, or updates whether PUSH took it.</summary>
    internal void Add(in DeliverySubject delivery, bool taken)
    {
        (long Sequence, long Stored) key = KeyOf(delivery);
        if (IsNewer(key))
        {
            _newest = key;
        }

        if (_entries.TryGetValue(key, out Entry known))
        {
            _entries[key] = known with { Taken = taken };
            return;
        }

        _entries.Add(key, new Entry(++_lastNumber, taken));
        _order.Enqueue((key, _lastNumber));
        while (_entries.Count > capacity)
        {
            RemoveOldest();
        }

        if (_order.Count > _mostOrdered)
        {
            RemoveUnused();
        }
    }

    /// <summary>Removes a message that was returned to the stream, so that its next delivery counts as new.</summary>
    internal void Remove(in DeliverySubject delivery) => _entries.Remove(KeyOf(delivery));

    private bool IsNewer((long Sequence, long Stored) key)
        => key.Stored > _newest.Stored || (key.Stored == _newest.Stored && key.Sequence > _newest.Sequence);

    // A quarter more than the number of messages, so that RemoveUnused is rarely needed.
    private static int MostOrdered(int capacity) => capacity + (capacity / 4) + 1;

    private void RemoveOldest()
    {
        ((long Sequence, long Stored) key, long number) = _order.Dequeue();
        if (IsOf(key, number))
        {
            _entries.Remove(key);
        }
    }

    private void RemoveUnused()
    {
        for (int left = _order.Count; left > 0; left--)
        {
            ((long Sequence, long Stored) key, long number) = _order.Dequeue();
            if (IsOf(key, number))
            {
                _order.Enqueue((key, number));
            }
        }
    }

    private bool IsOf((long Sequence, long Stored) key, long number)
        => _entries.TryGetValue(key, out Entry entry) && entry.Number == number;

    private static (long Sequence, long Stored) KeyOf(in DeliverySubject delivery)
        => (delivery.Sequence, delivery.Stored);

    /// <param name="Number">The number of the entry, counted over all added entries.</param>
    /// <param name="Taken">Whether PUSH took the message.</param>
    private readonly record struct Entry(long Number, bool Taken);
}
