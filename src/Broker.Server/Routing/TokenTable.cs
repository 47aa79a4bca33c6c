using System.Runtime.CompilerServices;

namespace Broker.Server;

/// <summary>
/// A hash table of entries by their tokens. This is a mutable struct: keep it in a field and do not copy it.
/// </summary>
internal struct TokenTable
{
    private HashSlots<TokenEntry> _slots;

    internal readonly int Count => _slots.Count;

    internal readonly int Length => _slots.Length;

    internal readonly TokenEntry? this[int slot] => _slots[slot];

    /// <summary>Returns the slot of the entry with a token; -1 if the table has no such entry.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly int IndexOf(ReadOnlySpan<byte> token, uint hash)
    {
        int slot = _slots.First(hash);
        while (slot >= 0 && !_slots[slot]!.Is(token))
        {
            slot = _slots.Next(hash, slot);
        }

        return slot;
    }

    internal readonly TokenEntry? Find(ReadOnlySpan<byte> token, uint hash)
    {
        int slot = IndexOf(token, hash);
        return slot < 0 ? null : _slots[slot];
    }

    internal void Add(uint hash, TokenEntry entry) => _slots.Add(hash, entry);

    internal readonly void Replace(int slot, TokenEntry entry) => _slots.Replace(slot, entry);

    /// <inheritdoc cref="HashSlots{T}.RemoveAt"/>
    internal void RemoveAt(int slot) => _slots.RemoveAt(slot);

    /// <inheritdoc cref="HashSlots{T}.Trim"/>
    internal void Trim() => _slots.Trim();

    /// <summary>Returns the entry of a table with exactly one entry.</summary>
    internal readonly TokenEntry Single()
    {
        int slot = 0;
        while (_slots[slot] is null)
        {
            slot++;
        }

        return _slots[slot]!;
    }
}
