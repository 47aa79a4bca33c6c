using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using Broker.Server.Collections;

namespace Broker.Server.Routing;

/// <summary>
/// Routes by their whole subjects. Each has a place that its hash says, and seven others about it for when that is taken: a search is mostly one
/// look at that place, else one compare of eight hashes, and of the subject then. One changes it at a time, under a lock of its own or on a loop; any
/// thread may search meanwhile without one, and finds what is there or nothing.
/// </summary>
/// <remarks>
/// It is a quarter full at most, while it may grow. From then on who comes into a full set displaces one that nobody has found since another one
/// was displaced there: not all go at once, and what is in use stays. Twelve bytes a slot.
/// </remarks>
/// <param name="mostSlots">How many slots there may be; a power of two.</param>
internal sealed class RouteSets(int mostSlots)
{
    /// <summary>How many routes a set has room for.</summary>
    internal const int Ways = 8;

    // So that nearly all are in the place of their own, where there may be as many.
    private const int SlotsPerRoute = 4;

    // A set that is full is a reason to grow only if one in so many slots is taken.
    private const int FewestTaken = 32;

    // So many are looked at for one that has not been found lately; then the next goes, whichever it is.
    private const int MostPassedOver = 64;

    private volatile Table _table = new(Ways);
    private int _hand;

    internal int Count { get; private set; }

    /// <summary>The current route of a subject, if it is there. Any thread.</summary>
    internal Route? Find(ReadOnlySpan<byte> subject, uint hash) => Find(subject, ByteKey.Of(ref MemoryMarshal.GetReference(subject), subject.Length), hash);

    /// <summary>The same of a subject whose key is known.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Route? Find(ReadOnlySpan<byte> subject, ByteKey key, uint hash)
    {
        Table table = _table;
        // Nearly all are in the place of their own: no look must wait for another, and who is not there has cost one.
        int place = table.PlaceOf(hash);
        if (!table.Has(place, hash) || table.Routes[place] is not { IsCurrent: true } route || !route.IsOf(subject, key))
        {
            return FindBeside(table, subject, key, hash);
        }

        route.MarkFound();
        return route;
    }

    /// <summary>Adds a route that is not there.</summary>
    /// <returns>What it displaces; null for nothing.</returns>
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
            int own = table.PlaceOf(hash) - first;
            for (int i = 0; i < Ways; i++)
            {
                int slot = first + ((own + i) % Ways);
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

    /// <summary>Takes one out that is there, or was.</summary>
    internal void Remove(Route route)
    {
        Table table = _table;
        int first = table.SetOf(route.Hash);
        int at = table.Routes.AsSpan(first, Ways).IndexOf(route);
        if (at >= 0)
        {
            table.Clear(first + at);
            Count--;
        }
    }

    /// <summary>Takes out one of those that nobody has found lately; null when there are none at all.</summary>
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
            _hand = (_hand + 1) & (table.Routes.Length - 1);
            Route? route = table.Routes[_hand];
            if (route is null)
            {
                continue;
            }

            if (!route.TakeFound() || ++passedOver > MostPassedOver)
            {
                table.Clear(_hand);
                Count--;
                return route;
            }
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Route? FindBeside(Table table, ReadOnlySpan<byte> subject, ByteKey key, uint hash)
    {
        int first = table.SetOf(hash);
        for (uint same = table.Same(first, hash); same != 0; same &= same - 1)
        {
            // One of another subject has this hash about once in four thousand million.
            if (table.Routes[first + BitOperations.TrailingZeroCount(same)] is { IsCurrent: true } route && route.IsOf(subject, key))
            {
                route.MarkFound();
                return route;
            }
        }

        return null;
    }

    private static Route Displace(Table table, int first, Route route)
    {
        int victim = -1;
        for (int slot = first; slot < first + Ways; slot++)
        {
            if (!table.Routes[slot]!.WasFound)
            {
                victim = slot;
                break;
            }
        }

        if (victim < 0)
        {
            // All are in use: this time it is anyone, and who is not found from now on goes next.
            victim = first + (int)((route.Hash >> 16) % Ways);
            foreach (Route? there in table.Routes.AsSpan(first, Ways))
            {
                there!.TakeFound();
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
                // A set becomes two: there is room in both.
                int first = larger.SetOf(route.Hash);
                int slot = larger.PlaceOf(route.Hash);
                while (larger.Routes[slot] is not null)
                {
                    slot = first + ((slot + 1) % Ways);
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
        internal int SetOf(uint hash) => (int)(hash * Ways) & (Routes.Length - Ways);

        /// <summary>The one of a set where a route is if it came first.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal int PlaceOf(uint hash) => (int)BitOperations.RotateLeft(hash, 3) & (Routes.Length - 1);

        /// <summary>Whether a slot has that hash; a free one may.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal bool Has(int slot, uint hash) => Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(_hashes), slot) == hash;

        /// <summary>Which slots of a set have that hash, as bits; a free one may be among them.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal uint Same(int first, uint hash)
            => Vector256.Equals(
                Vector256.LoadUnsafe(ref MemoryMarshal.GetArrayDataReference(_hashes), (nuint)first), Vector256.Create(hash)).ExtractMostSignificantBits();

        // Who searches meanwhile may see one of the two only, and compares the subject in any case.
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
