namespace Broker.Server;

/// <summary>
/// A client's subscriptions by their sids. Used on the client's loop only, except <see cref="Count"/> and
/// <see cref="Version"/>.
/// </summary>
internal sealed class SubscriptionsBySid(ulong seed)
{
    private HashSlots<Subscription> _slots;
    private long _version;

    internal int Count => _slots.Count;

    /// <summary>A number that changes with every added or removed subscription. Any thread may read it.</summary>
    internal long Version => Volatile.Read(ref _version);

    internal Subscription? Find(ReadOnlySpan<byte> sid)
    {
        uint hash = Hash(sid);
        for (int slot = _slots.First(hash); slot >= 0; slot = _slots.Next(hash, slot))
        {
            Subscription found = _slots[slot]!;
            if (sid.SequenceEqual(found.Sid))
            {
                return found;
            }
        }

        return null;
    }

    /// <summary>Adds a subscription. No other subscription in the table may have the same sid.</summary>
    internal void Add(Subscription subscription)
    {
        _slots.Add(Hash(subscription.Sid), subscription);
        _version++;
    }

    /// <summary>Removes a subscription. Returns false if it is not in the table.</summary>
    internal bool Remove(Subscription subscription)
    {
        uint hash = Hash(subscription.Sid);
        int slot = _slots.First(hash);
        while (slot >= 0 && _slots[slot] != subscription)
        {
            slot = _slots.Next(hash, slot);
        }

        if (slot < 0)
        {
            return false;
        }

        _slots.RemoveAt(slot);
        _version++;
        _slots.Trim();
        return true;
    }

    /// <summary>
    /// Copies at most <paramref name="most"/> subscriptions, beginning with index <paramref name="skip"/>. The order
    /// stays the same until a subscription is added or removed.
    /// </summary>
    internal Subscription[] Copy(int skip = 0, int most = int.MaxValue)
    {
        var copied = new Subscription[Math.Clamp(Count - skip, 0, most)];
        int passed = 0;
        foreach (Subscription subscription in this)
        {
            int at = passed++ - skip;
            if (at >= copied.Length)
            {
                break;
            }

            if (at >= 0)
            {
                copied[at] = subscription;
            }
        }

        return copied;
    }

    /// <summary>
    /// Copies the subscriptions of at most <paramref name="most"/> slots, beginning with <paramref name="slot"/>, and
    /// advances <paramref name="slot"/>. Returns true when the last slot has been copied. Earlier copies remain valid
    /// while <see cref="Version"/> is the same.
    /// </summary>
    internal bool Copy(List<Subscription> copied, ref int slot, int most)
    {
        int end = (int)Math.Min(_slots.Length, slot + (long)most);
        for (; slot < end; slot++)
        {
            if (_slots[slot] is { } subscription)
            {
                copied.Add(subscription);
            }
        }

        return slot == _slots.Length;
    }

    public Enumerator GetEnumerator() => new(this);

    /// <summary>Enumerates the subscriptions. Valid until a subscription is added or removed.</summary>
    internal struct Enumerator(SubscriptionsBySid table)
    {
        private int _slot = -1;

        public Subscription Current { get; private set; } = null!;

        public bool MoveNext()
        {
            while (++_slot < table._slots.Length)
            {
                if (table._slots[_slot] is { } subscription)
                {
                    Current = subscription;
                    return true;
                }
            }

            return false;
        }
    }

    private uint Hash(ReadOnlySpan<byte> sid) => ByteHash.Compute(sid, seed);
}
