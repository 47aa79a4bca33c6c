using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace Broker.Server;

/// <summary>
/// A hash table of routes by their whole subjects. The hash gives each route a preferred slot and a set of eight slots
/// around it. A search mostly reads only the preferred slot. Otherwise it compares the eight hashes of the set, and
/// then the subject. One thread at a time may change the table, under a lock or on a loop. Meanwhile any thread may
/// search without a lock: the search finds a stored route or nothing.
/// </summary>
/// <remarks>
/// The table is at most a quarter full while it may grow. At its full size, a route that is added to a full set
/// replaces a route that no search has found since the last replacement in this set. So routes are replaced one at a
/// time, and routes in use remain. A slot uses twelve bytes.
/// </remarks>
/// <param name="mostSlots">The largest number of slots, a power of two.</param>
internal sealed class RouteHashTable(int mostSlots)
{
    /// <summary>The number of slots in a set.</summary>
    internal const int SetSize = 8;

    // With this many slots per route, nearly all routes are in their preferred slots.
    private const int SlotsPerRoute = 4;

    // A full set makes the table grow only if at least one in FewestTaken slots is used.
    private const int FewestTaken = 32;

    // RemoveNext passes over at most this many recently found routes. Then it removes the next route in any case.
    private const int MaxPassedOver = 64;

    private volatile Table _table = new(SetSize);
    private int _nextVictim;

    internal int Count { get; private set; }

    /// <summary>
    /// Returns the current route of a subject; null if the route is not stored. Any thread may call this method.
    /// </summary>
    internal Route? Find(ReadOnlySpan<byte> subject, uint hash) => Find(subject, ByteKey.Of(ref MemoryMarshal.GetReference(subject), subject.Length), hash);

    /// <summary>
    /// Returns the current route of a subject with a known key; null if the route is not stored. Any thread may call
    /// this method.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Route? Find(ReadOnlySpan<byte> subject, ByteKey key, uint hash)
    {
        Table table = _table;
        // Nearly all routes are in their preferred slots. Reading only this slot avoids dependent loads, and a miss
        // costs one read.
        int place = table.PreferredSlotOf(hash);
        if (!table.Has(place, hash) || table.Routes[place] is not { IsCurrent: true } route || !route.IsOf(subject, key))
        {
            return FindInSet(table, subject, key, hash);
        }

        route.MarkUsed();
        return route;
    }

    /// <summary>Adds a route that is not in the table.</summary>
    /// <returns>The route that was replaced; null if no route was replaced.</returns>
    internal Route? Add(Route route, uint hash)
    {
        route.Hash = hash;
        if (Count * SlotsPerRoute >= _table.Routes.Length && _table.Routes.Length < mostSlots)
        {
            Grow();
        }

        while (true)
        {
            Table table = _table;
            int first = table.SetOf(hash);
            int own = table.PreferredSlotOf(hash) - first;
            for (int i = 0; i < SetSize; i++)
            {
                int slot = first + ((own + i) % SetSize);
                Route? there = table.Routes[slot];
                if (there is not { IsCurrent: true })
                {
                    table.Put(slot, route);
                    Count += there is null ? 1 : 0;
                    return there;
                }
            }

            if (table.Routes.Length == mostSlots || Count < table.Routes.Length / FewestTaken)
            {
                return Displace(table, first, route);
            }

            Grow();
        }
    }

    /// <summary>Removes a route. Has no effect if the route is already removed.</summary>
    internal void Remove(Route route)
    {
        Table table = _table;
        int first = table.SetOf(route.Hash);
        int at = table.Routes.AsSpan(first, SetSize).IndexOf(route);
        if (at >= 0)
        {
            table.Clear(first + at);
            Count--;
        }
    }

    /// <summary>Removes a route that no search has found recently. Returns null if the table is empty.</summary>
    internal Route? RemoveNext()
    {
        if (Count == 0)
        {
            return null;
        }

        Table table = _table;
        int passedOver = 0;
        while (true)
        {
            _nextVictim = (_nextVictim + 1) & (table.Routes.Length - 1);
            Route? route = table.Routes[_nextVictim];
            if (route is null)
            {
                continue;
            }

            if (!route.ResetUsed() || ++passedOver > MaxPassedOver)
            {
                table.Clear(_nextVictim);
                Count--;
                return route;
            }
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Route? FindInSet(Table table, ReadOnlySpan<byte> subject, ByteKey key, uint hash)
    {
        int first = table.SetOf(hash);
        for (uint same = table.SlotsWithHash(first, hash); same != 0; same &= same - 1)
        {
            // A different subject has the same hash in about one of four thousand million cases.
            if (table.Routes[first + BitOperations.TrailingZeroCount(same)] is { IsCurrent: true } route && route.IsOf(subject, key))
            {
                route.MarkUsed();
                return route;
            }
        }

        return null;
    }

    private static Route Displace(Table table, int first, Route route)
    {
        int victim = -1;
        for (int slot = first; slot < first + SetSize; slot++)
        {
            if (!table.Routes[slot]!.WasUsed)
            {
                victim = slot;
                break;
            }
        }

        if (victim < 0)
        {
            // All routes of the set are in use. This time any of them is replaced. The next time a route that was not
            // found meanwhile is replaced.
            victim = first + (int)((route.Hash >> 16) % SetSize);
            foreach (Route? there in table.Routes.AsSpan(first, SetSize))
            {
                there!.ResetUsed();
            }
        }

        Route displaced = table.Routes[victim]!;
        table.Put(victim, route);
        return displaced;
    }

    private void Grow()
    {
        Table table = _table;
        var larger = new Table(table.Routes.Length * 2);
        foreach (Route? route in table.Routes)
        {
            if (route is not null)
            {
                // A larger table has two sets for each set of the old table, so each new set has free slots.
                int first = larger.SetOf(route.Hash);
                int slot = larger.PreferredSlotOf(route.Hash);
                while (larger.Routes[slot] is not null)
                {
                    slot = first + ((slot + 1) % SetSize);
                }

                larger.Put(slot, route);
            }
        }

        _table = larger;
    }

    private sealed class Table(int slots)
    {
        private readonly uint[] _hashes = new uint[slots];

        internal readonly Route?[] Routes = new Route?[slots];

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal int SetOf(uint hash) => (int)(hash * SetSize) & (Routes.Length - SetSize);

        /// <summary>The preferred slot for a hash, within the set of the hash.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal int PreferredSlotOf(uint hash) => (int)BitOperations.RotateLeft(hash, 3) & (Routes.Length - 1);

        /// <summary>Whether a slot has this hash. A free slot may have the same hash.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal bool Has(int slot, uint hash) => Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(_hashes), slot) == hash;

        /// <summary>The slots of a set that have this hash, as bits. Free slots may be among these slots.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal uint SlotsWithHash(int first, uint hash)
            => Vector256.Equals(
                Vector256.LoadUnsafe(ref MemoryMarshal.GetArrayDataReference(_hashes), (nuint)first), Vector256.Create(hash)).ExtractMostSignificantBits();

        // A concurrent search may see only one of the two writes. This does no harm: it also compares the subject.
        internal void Put(int slot, Route route)
        {
            Routes[slot] = route;
            _hashes[slot] = route.Hash;
        }

        internal void Clear(int slot)
        {
            Routes[slot] = null;
            _hashes[slot] = 0;
        }
    }
}
