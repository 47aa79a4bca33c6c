using System.Runtime.CompilerServices;

namespace Broker.Server;

/// <summary>
/// A hash table of objects with open addressing. The owner computes a 32-bit hash from each key and compares the keys
/// itself, because several objects may have the same hash. A slot uses twelve bytes, and a quarter to a half of the
/// slots are free. An empty table uses no memory.
/// </summary>
/// <remarks>
/// The home slot of an object is its hash, scaled to the number of slots. So any number of slots is possible, and the
/// objects are in the order of their hashes: growing is one pass over both arrays and reads no object. The hashes are
/// in an array of their own: a search without result mostly reads one cache line, and a successful search loads the
/// object at the same time. This is a mutable struct: keep it in a field and do not copy it.
/// </remarks>
internal struct HashSlots<T>
    where T : class
{
    private const int Fewest = 4;

    // The hash of a free slot. The lowest bit of every stored hash is set, so that the hash differs from this value.
    // The lowest bit rarely changes the home slot.
    private const uint Free = 0;

    private uint[]? _hashes;
    private Slot[]? _items;

    internal int Count { get; private set; }

    /// <summary>The number of slots, for a walk through all of them.</summary>
    internal readonly int Length => _items?.Length ?? 0;

    /// <summary>The object in a slot; null if the slot is free.</summary>
    internal readonly T? this[int slot] => _items![slot].Item;

    /// <summary>The first slot with an object of this hash, or -1.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly int First(uint hash)
    {
        uint[]? hashes = _hashes;
        return hashes is null ? -1 : Probe(hashes, hash | 1, Home(hash | 1, hashes.Length));
    }

    /// <summary>The next slot with an object of this hash, or -1.</summary>
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

    /// <summary>
    /// Removes the object in a slot. Objects of later slots may move up: the slot may then contain an object from a
    /// later slot or, around the end, from one of the first slots.
    /// </summary>
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

            // An object must not move to a slot before its home slot. The home slot may lie on the other side of the
            // end of the array.
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

    /// <summary>Releases memory if most slots are free. The owner calls this method after removals.</summary>
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
            uint stored = hashes[at];
            if (stored == hash)
            {
                return at;
            }

            if (stored == Free)
            {
                return -1;
            }

            at = After(at, hashes.Length);
        }
    }

    private static int Home(uint hash, int length) => (int)((hash * (ulong)(uint)length) >> 32);

    private static int After(int slot, int length) => slot + 1 == length ? 0 : slot + 1;

    // An array of references would check the type at every store. An array of structs does not.
    private struct Slot
    {
        internal T? Item;
    }
}
