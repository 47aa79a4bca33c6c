using System.Numerics;
using Broker.Server;

namespace Broker.Benchmarks.Maps;

/// <summary>
/// A hand-written map with linear probing in a table that is at most half full. The hashes are stored beside the keys,
/// so that most comparisons are of integers. It only grows.
/// </summary>
internal sealed class OpenAddressingMap(int capacity, ulong seed)
{
    private readonly Slot[] _slots = new Slot[BitOperations.RoundUpToPowerOf2((uint)capacity * 2)];

    private record struct Slot(byte[]? Key, uint Hash, int Value);

    internal void Add(byte[] key, int value)
    {
        uint hash = ByteHash.Compute(key, seed);
        uint mask = (uint)_slots.Length - 1;
        uint at = hash & mask;
        while (_slots[at].Key is not null)
        {
            at = (at + 1) & mask;
        }

        _slots[at] = new Slot(key, hash, value);
    }

    internal bool TryGetValue(ReadOnlySpan<byte> key, out int value)
    {
        uint hash = ByteHash.Compute(key, seed);
        Slot[] slots = _slots;
        uint mask = (uint)slots.Length - 1;
        for (uint at = hash & mask; at < (uint)slots.Length; at = (at + 1) & mask)
        {
            ref readonly Slot slot = ref slots[at];
            if (slot.Key is null)
            {
                break;
            }

            if (slot.Hash == hash && key.SequenceEqual(slot.Key))
            {
                value = slot.Value;
                return true;
            }
        }

        value = 0;
        return false;
    }
}
