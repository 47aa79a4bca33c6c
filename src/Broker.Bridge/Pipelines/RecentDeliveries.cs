using Broker.Bridge.JetStream;

namespace Broker.Bridge.Pipelines;

/// <summary>Which messages of a stream this egress was given of late, and whether PUSH took them: the filter against what comes again.</summary>
internal sealed class RecentDeliveries(int capacity)
{
    private readonly Dictionary<(long Sequence, long Stored), bool> _taken = new(capacity + 1);
    private readonly Queue<(long Sequence, long Stored)> _order = new(capacity + 1);

    private (long Sequence, long Stored) _newest;

    /// <summary>Whether it is known; and if so, whether PUSH took it.</summary>
    internal bool TryGet(in DeliverySubject delivery, out bool taken) => _taken.TryGetValue(KeyOf(delivery), out taken);

    /// <summary>
    /// Whether the stream has delivered it before, to this egress or another: it says so, or a later one was here already. A server that was
    /// killed may have forgotten its last deliveries, and makes them again as for the first time.
    /// </summary>
    internal bool WasDeliveredBefore(in DeliverySubject delivery) =>
        delivery.Delivered > 1 || (delivery.Sequence <= _newest.Sequence && delivery.Stored <= _newest.Stored);

    internal void Add(in DeliverySubject delivery, bool taken)
    {
        (long Sequence, long Stored) key = KeyOf(delivery);
        if (key.Stored >= _newest.Stored)
        {
            _newest = key;
        }

        if (_taken.TryAdd(key, taken))
        {
            _order.Enqueue(key);
            if (_order.Count > capacity)
            {
                _taken.Remove(_order.Dequeue());
            }
        }
        else
        {
            _taken[key] = taken;
        }
    }

    /// <summary>It has been given back: when it comes again it is new.</summary>
    internal void Remove(in DeliverySubject delivery) => _taken.Remove(KeyOf(delivery));

    private static (long Sequence, long Stored) KeyOf(in DeliverySubject delivery) => (delivery.Sequence, delivery.Stored);
}
