using System.Runtime.CompilerServices;
using Broker.Server.Collections;
using Broker.Server.Security;

namespace Broker.Server.Routing;

/// <summary>
/// One publisher's routes by subject, direct-mapped: two subjects of one slot displace each other and cost a look at the
/// router. What the publisher may publish to is asked there too, once, and remembered as a route that is refused. Used on the
/// publisher's loop only.
/// </summary>
internal struct RouteCache(Router router, AccessRules? access = null)
{
    // Small enough that a connection with one subject stays small, large enough that one with hundreds hardly misses.
    private const int FewSlots = 8;
    private const int ManySlots = 1024;
    private const int MissesBeforeGrowth = 64;

    // What a look at the router costs, in places looked at.
    private const int StepsOfMiss = 8;

    // Long subjects and routes to many, of a client that nobody knows yet, must not fill the memory.
    private const long MostCost = 1024 * 1024;

    private Route[]? _slots;
    private int _misses;
    private long _cost;
    private long _work;

    /// <summary>What it took to find what was not known here since it was asked last, in places and subscriptions looked at.</summary>
    internal long TakeWork()
    {
        long work = _work;
        _work = 0;
        return work;
    }

    /// <summary>The current route of <paramref name="subject"/>.</summary>
    internal Route Find(ReadOnlySpan<byte> subject)
    {
        uint hash = ByteHash.Compute(subject, router.Seed);
        if (_slots is { } slots)
        {
            Route? route = slots[hash & (uint)(slots.Length - 1)];
            if (route is not null && route.IsCurrent && subject.SequenceEqual(route.Subject))
            {
                return route;
            }
        }

        return Miss(subject, hash);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private Route Miss(ReadOnlySpan<byte> subject, uint hash)
    {
        _work += StepsOfMiss;
        if (_slots is null || (_slots.Length == FewSlots && ++_misses > MissesBeforeGrowth))
        {
            _slots = new Route[_slots is null ? FewSlots : ManySlots];
            _cost = 0;
        }

        Route found = ReservedSubjects.Contains(subject) || access?.MayPublish(subject) == false
            ? Route.Refused(subject)
            : router.Find(subject, ref _work);
        _cost += found.Cost;
        if (_cost > MostCost)
        {
            // The sum counts displaced ones too, so that it is an upper bound and costs nothing to keep.
            Array.Clear(_slots);
            _cost = found.Cost;
        }

        _slots[hash & (uint)(_slots.Length - 1)] = found;
        return found;
    }
}
