using System.Runtime.CompilerServices;

namespace Broker.Server.Collections;

/// <summary>
/// Objects by 32-bit hashes that the owner computes from their keys, with open addressing. The owner compares the keys: there
/// may be several objects of one hash. Twelve bytes a slot, and a quarter to a half of the slots are free; nothing while empty.
/// </summary>
/// <remarks>
/// An object's home slot is the hash's share of the length, so that any length will do and the objects lie in the order of
/// their hashes: growing is one pass over both arrays and looks at no object. Hashes are apart from the objects because a
/// search that fails then reads one line of memory mostly, and one that succeeds fetches the object meanwhile.
/// A mutable struct: to be kept in a field and not to be copied.
/// </remarks>
internal struct HashSlots<T>
    where T : class
{
    private const int Fewest = 4;

    // Of a free slot. A hash's lowest bit, which hardly moves its home, is set to tell it from that.
    private const uint Free = 0;

    private uint[]? _hashes;
    private Slot[]? _items;

    internal int Count { get; private set; }

    /// <summary>How many slots there are, to look at one by one.</summary>
    internal readonly int Length => _items?.Length ?? 0;

    /// <summary>What is in a slot; null when it is free.</summary>
    internal readonly T? this[int slot] => _items![slot].Item;

    /// <summary>The first slot that holds an object of that hash, or -1.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly int First(uint hash)
    {
        uint[]? hashes = _hashes;
        return hashes is null ? -1 : Probe(hashes, hash | 1, Home(hash | 1, hashes.Length));
    }

    /// <summary>The next such slot, or -1.</summary>
    internal readonly int Next(uint hash, int slot) => Probe(_hashes!, hash | 1, After(slot, _hashes!.Length));

    internal void Add(uint hash, T item)
    {
        if (_hashes is null || (Count + 1) * 4L > _hashes.Length * 3L)
        {
            Resize(Math.Max(Fewest, Count * 2));
        }

        Place(hash | 1, item);
        Count++;
    }

    internal readonly void Replace(int slot, T item) => _items![slot].Item = item;

    /// <summary>Empties a slot. Others move up: the slot may then hold one from a slot behind it, or from the first ones.</summary>
    internal void RemoveAt(int slot)
    {
        uint[] hashes = _hashes!;
        Slot[] items = _items!;
        int at = slot;
        while (true)
        {
            at = After(at, hashes.Length);
            uint hash = hashes[at];
            if (hash == Free)
            {
                break;
            }

            // Not beyond its home, which lies anywhere up to where it is, around the end perhaps.
            int home = Home(hash, hashes.Length);
            if (slot <= at ? home <= slot || home > at : home <= slot && home > at)
            {
                hashes[slot] = hash;
                items[slot] = items[at];
                slot = at;
            }
        }

        hashes[slot] = Free;
        items[slot].Item = null;
        Count--;
    }

    /// <summary>Gives memory back when most slots are free. To be called after removals.</summary>
    internal void Trim()
    {
        if (Count == 0)
        {
            _hashes = null;
            _items = null;
        }
        else if (Length > Fewest && Count * 5L < Length)
        {
            Resize(Math.Max(Fewest, Count * 2));
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Resize(int length)
    {
        uint[]? hashes = _hashes;
        Slot[]? items = _items;
        _hashes = new uint[length];
        _items = new Slot[length];
        for (int i = 0; i < hashes?.Length; i++)
        {
            if (hashes[i] != Free)
            {
                Place(hashes[i], items![i].Item!);
            }
        }
    }

    private readonly void Place(uint hash, T item)
    {
        uint[] hashes = _hashes!;
        int at = Home(hash, hashes.Length);
        while (hashes[at] != Free)
        {
            at = After(at, hashes.Length);
        }

        hashes[at] = hash;
        _items![at].Item = item;
    }

    private static int Probe(uint[] hashes, uint hash, int at)
    {
        while (true)
        {
            uint held = hashes[at];
            if (held == hash)
            {
                return at;
            }

            if (held == Free)
            {
                return -1;
            }

            at = After(at, hashes.Length);
        }
    }

    private static int Home(uint hash, int length) => (int)((hash * (ulong)(uint)length) >> 32);

    private static int After(int slot, int length) => slot + 1 == length ? 0 : slot + 1;

    // By itself an array of references checks the type at every store.
    private struct Slot
    {
        internal T? Item;
    }
}
