using System.Runtime.CompilerServices;

namespace Broker.Client;

/// <summary>
/// The subscriptions by their id in the protocol. An id consists of a slot and, above it, the number of earlier uses of
/// the slot. So a lookup is an index and a comparison, and a late message for an ended subscription is not delivered to
/// the next subscription in the slot.
/// </summary>
/// <remarks>Changed under the connection's gate. The loop reads it without the gate.</remarks>
internal sealed class SubscriptionIdTable
{
    private const int SlotBits = 24;
    private const ulong SlotMask = (1UL << SlotBits) - 1;

    private readonly Stack<int> _free = new();
    private Subscription?[] _slots = new Subscription?[16];
    private ulong[] _uses = new ulong[16];

    // Slot 0 is never used, so no subscription has the id 0.
    private int _next = 1;

    internal int Count => _next - 1 - _free.Count;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Subscription? Find(ulong sid)
    {
        Subscription?[] slots = Volatile.Read(ref _slots);
        ulong slot = sid & SlotMask;
        if (slot < (ulong)slots.Length && slots[(int)slot] is { } subscription && subscription.Sid == sid)
        {
            return subscription;
        }

        return null;
    }

    /// <summary>Adds a subscription and assigns its id.</summary>
    /// <exception cref="InvalidOperationException">There are 16,777,215 subscriptions already.</exception>
    internal void Add(Subscription subscription)
    {
        if (!_free.TryPop(out int slot))
        {
            if (_next > (int)SlotMask)
            {
                throw new InvalidOperationException("A connection cannot have more than 16,777,215 subscriptions.");
            }

            slot = _next++;
            if (slot == _slots.Length)
            {
                Array.Resize(ref _uses, slot * 2);
                var larger = new Subscription?[slot * 2];
                _slots.CopyTo(larger, 0);
                Volatile.Write(ref _slots, larger);
            }
        }

        subscription.Sid = (_uses[slot]++ << SlotBits) | (uint)slot;
        Volatile.Write(ref _slots[slot], subscription);
    }

    /// <summary>Removes a subscription. Returns false if it is not in the table.</summary>
    internal bool Remove(Subscription subscription)
    {
        if (Find(subscription.Sid) != subscription)
        {
            return false;
        }

        int slot = (int)(subscription.Sid & SlotMask);
        _slots[slot] = null;
        _free.Push(slot);
        return true;
    }

    internal Subscription[] ToArray() => [.. _slots.OfType<Subscription>()];
}
