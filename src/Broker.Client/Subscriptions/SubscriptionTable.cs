using System.Runtime.CompilerServices;

namespace Broker.Client.Subscriptions;

/// <summary>
/// The subscriptions by their number on the wire. A number is a slot and, above it, how often the slot was used before: the
/// look-up is an index and a compare, and what comes late for an ended subscription is not taken for its successor's.
/// </summary>
/// <remarks>Changed under the connection's gate; looked up on the loop without it.</remarks>
internal sealed class SubscriptionTable
{
    private const int SlotBits = 24;
    private const ulong SlotMask = (1UL << SlotBits) - 1;

    private readonly Stack<int> _free = new();
    private Subscription?[] _slots = new Subscription?[16];
    private ulong[] _uses = new ulong[16];

    // Slot 0 stays empty: no subscription has the number 0.
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

    /// <summary>Gives the subscription its number.</summary>
    /// <exception cref="InvalidOperationException">There are 16,777,215 already.</exception>
    internal void Add(Subscription subscription)
    {
        if (!_free.TryPop(out int slot))
        {
            if (_next > (int)SlotMask)
            {
                throw new InvalidOperationException("A connection cannot have more subscriptions.");
            }

            slot = _next++;
            if (slot == _slots.Length)
            {
                Array.Resize(ref _uses, slot * 2);
                Subscription?[] larger = new Subscription?[slot * 2];
                _slots.CopyTo(larger, 0);
                Volatile.Write(ref _slots, larger);
            }
        }

        subscription.Sid = (_uses[slot]++ << SlotBits) | (uint)slot;
        Volatile.Write(ref _slots[slot], subscription);
    }

    /// <summary>False when it is not in the table.</summary>
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
