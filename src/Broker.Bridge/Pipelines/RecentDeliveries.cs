namespace Broker.Bridge.Pipelines;

/// <summary>Which messages of a stream this egress was given of late, and whether PUSH took them: the filter against what comes again.</summary>
internal sealed class RecentDeliveries(int capacity)
{
    private readonly Dictionary<long, bool> _taken = new(capacity + 1);
    private readonly Queue<long> _order = new(capacity + 1);

    /// <summary>Whether it is known; and if so, whether PUSH took it.</summary>
    internal bool TryGet(long sequence, out bool taken) => _taken.TryGetValue(sequence, out taken);

    internal void Add(long sequence, bool taken)
    {
        if (_taken.TryAdd(sequence, taken))
        {
            _order.Enqueue(sequence);
            if (_order.Count > capacity)
            {
                _taken.Remove(_order.Dequeue());
            }
        }
        else
        {
            _taken[sequence] = taken;
        }
    }

    /// <summary>It has been given back: when it comes again it is new.</summary>
    internal void Remove(long sequence) => _taken.Remove(sequence);
}
