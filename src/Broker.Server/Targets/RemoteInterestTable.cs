using System.Diagnostics.CodeAnalysis;

namespace Broker.Server;

/// <summary>
/// The subscriptions of a peer server by filter and queue group. A lookup needs no object for the key. Not thread-safe.
/// </summary>
internal sealed class RemoteInterestTable(ulong seed)
{
    private HashSlots<RemoteSubscription> _all;

    internal int Count => _all.Count;

    internal IEnumerable<RemoteSubscription> All
    {
        get
        {
            for (int slot = 0; slot < _all.Length; slot++)
            {
                if (_all[slot] is { } subscription)
                {
                    yield return subscription;
                }
            }
        }
    }

    internal bool TryGet(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queue, [NotNullWhen(true)] out RemoteSubscription? found)
    {
        int slot = IndexOf(filter, queue);
        found = slot < 0 ? null : _all[slot];
        return found is not null;
    }

    /// <summary>Adds a subscription. The table must not have one with the same filter and queue group.</summary>
    internal void Add(RemoteSubscription subscription) => _all.Add(Hash(subscription.Filter, subscription.Queue), subscription);

    internal void Remove(RemoteSubscription subscription)
    {
        _all.RemoveAt(IndexOf(subscription.Filter, subscription.Queue));
        _all.Trim();
    }

    internal RemoteSubscription[] TakeAll()
    {
        RemoteSubscription[] all = [.. All];
        _all = default;
        return all;
    }

    private int IndexOf(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queue)
    {
        uint hash = Hash(filter, queue);
        int slot = _all.First(hash);
        while (slot >= 0 && !(filter.SequenceEqual(_all[slot]!.Filter) && queue.SequenceEqual(_all[slot]!.Queue)))
        {
            slot = _all.Next(hash, slot);
        }

        return slot;
    }

    private uint Hash(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queue)
        => ByteHash.Compute(filter, seed) + (queue.IsEmpty ? 0 : ByteHash.Compute(queue, ~seed));
}
