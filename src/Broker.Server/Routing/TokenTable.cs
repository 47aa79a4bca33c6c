using System.Runtime.CompilerServices;

namespace Broker.Server;

/// <summary>
/// A hash table of entries by their tokens. A single entry needs no memory beside this struct: tries of many filters
/// have many nodes with one child, and the garbage collector's pauses grow with the number of objects. This is a
/// mutable struct: keep it in a field and do not copy it.
/// </summary>
internal struct TokenTable
{
    // Null, the only entry, or the slots of several entries.
    private object? _content;

    // The hash of the only entry.
    private uint _hash;

    internal readonly int Count => _content switch
    {
        null => 0,
        Several several => several.Slots.Count,
        _ => 1,
    };

    internal readonly int Length => _content switch
    {
        null => 0,
        Several several => several.Slots.Length,
        _ => 1,
    };

    internal readonly TokenEntry? this[int slot]
        => _content is Several several ? several.Slots[slot] : Unsafe.As<TokenEntry?>(_content);

    /// <summary>Returns the slot of the entry with a token; -1 if the table has no such entry.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly int IndexOf(ReadOnlySpan<byte> token, uint hash)
    {
        if (_content is not Several several)
        {
            return _content is not null && _hash == hash && Unsafe.As<TokenEntry>(_content).Is(token) ? 0 : -1;
        }

        int slot = several.Slots.First(hash);
        while (slot >= 0 && !several.Slots[slot]!.Is(token))
        {
            slot = several.Slots.Next(hash, slot);
        }

        return slot;
    }

    internal readonly TokenEntry? Find(ReadOnlySpan<byte> token, uint hash)
    {
        int slot = IndexOf(token, hash);
        return slot < 0 ? null : this[slot];
    }

    internal void Add(uint hash, TokenEntry entry)
    {
        if (_content is null)
        {
            _content = entry;
            _hash = hash;
            return;
        }

        if (_content is not Several several)
        {
            several = new Several();
            several.Slots.Add(_hash, Unsafe.As<TokenEntry>(_content));
            _content = several;
        }

        several.Slots.Add(hash, entry);
    }

    /// <summary>Replaces an entry by another one with the same token.</summary>
    internal void Replace(int slot, TokenEntry entry)
    {
        if (_content is Several several)
        {
            several.Slots.Replace(slot, entry);
        }
        else
        {
            _content = entry;
        }
    }

    /// <inheritdoc cref="HashSlots{T}.RemoveAt"/>
    internal void RemoveAt(int slot)
    {
        if (_content is Several several)
        {
            several.Slots.RemoveAt(slot);
        }
        else
        {
            _content = null;
        }
    }

    /// <inheritdoc cref="HashSlots{T}.Trim"/>
    internal void Trim()
    {
        if (_content is Several several)
        {
            several.Slots.Trim();
            _content = several.Slots.Count == 0 ? null : several;
        }
    }

    /// <summary>Returns the entry of a table with exactly one entry.</summary>
    internal readonly TokenEntry Single()
    {
        int slot = 0;
        while (this[slot] is null)
        {
            slot++;
        }

        return this[slot]!;
    }

    private sealed class Several
    {
        internal HashSlots<TokenEntry> Slots;
    }
}
