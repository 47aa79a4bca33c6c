using Broker.Bridge.JetStream;

namespace Broker.Bridge.Pipelines;

/// <summary>Which messages of a stream this egress was given of late, and whether PUSH took them: the filter against what comes again.</summary>
/// <param name="capacity">How many it knows at most.</param>
internal sealed class RecentDeliveries(int capacity)
{
    private readonly int _mostOrdered = MostOrdered(capacity);
    private readonly Dictionary<(long Sequence, long Stored), Entry> _entries = new(capacity + 1);

    // The oldest first. Of a message that was removed, and may have been added again, the place stays: one counts only with its entry's number.
    private readonly Queue<((long Sequence, long Stored) Key, long Number)> _order = new(MostOrdered(capacity) + 1);

    private (long Sequence, long Stored) _newest;
    private long _lastNumber;

    /// <summary>How many messages it knows.</summary>
    internal int Count => _entries.Count;

    /// <summary>How many places their order has, those of removed messages included.</summary>
    internal int Ordered => _order.Count;

    /// <summary>Whether it is known; and if so, whether PUSH took it.</summary>
    internal bool TryGet(in DeliverySubject delivery, out bool taken)
    {
        bool isKnown = _entries.TryGetValue(KeyOf(delivery), out Entry entry);
        taken = entry.Taken;
        return isKnown;
    }

    /// <summary>
    /// Whether the stream has delivered it before, to this egress or another: it says so, or one that was stored later was here already. A server
    /// that was killed may have forgotten its last deliveries, and makes them again as for the first time; and it may have given out numbers twice.
    /// </summary>
    internal bool WasDeliveredBefore(in DeliverySubject delivery) =>
        delivery.Delivered > 1 || !IsNewer(KeyOf(delivery));

    /// <summary>Knows it from now on; of one that is known already, only whether PUSH took it is changed.</summary>
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

    /// <summary>It has been given back: when it comes again it is new.</summary>
    internal void Remove(in DeliverySubject delivery) => _entries.Remove(KeyOf(delivery));

    private bool IsNewer((long Sequence, long Stored) key) =>
        key.Stored > _newest.Stored || (key.Stored == _newest.Stored && key.Sequence > _newest.Sequence);

    // A quarter more than there are messages: then going through all of them is rare.
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

    private bool IsOf((long Sequence, long Stored) key, long number) => _entries.TryGetValue(key, out Entry entry) && entry.Number == number;

    private static (long Sequence, long Stored) KeyOf(in DeliverySubject delivery) => (delivery.Sequence, delivery.Stored);

    /// <param name="Number">Which of all that were added.</param>
    /// <param name="Taken">Whether PUSH took it.</param>
    private readonly record struct Entry(long Number, bool Taken);
}
