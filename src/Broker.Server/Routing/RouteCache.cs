using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Broker.Server.Collections;
using Broker.Server.Security;

namespace Broker.Server.Routing;

/// <summary>
/// How one publisher finds its routes: who may publish everything in those that the router shares, without a lock; who may not has some of
/// its own, for what it may publish to is found once and remembered as a route that is refused. Used on the publisher's loop only.
/// </summary>
internal struct RouteCache(Router router, AccessRules? access = null)
{
    /// <summary>How many routes a publisher with permissions remembers at most.</summary>
    internal const int MostSlots = 1024;

    // What a look at the router under its lock costs, in places looked at.
    private const int StepsOfMiss = 8;

    // Long subjects and routes to many, of a client that nobody knows yet, must not fill the memory.
    private const long MostCost = 1024 * 1024;

    private readonly RouteSets? _own = access is null ? null : new RouteSets(MostSlots);

    // The router's.
    private readonly RouteSets _shared = router.Remembered;
    private readonly ulong _seed = router.Seed;
    private long _cost;
    private long _work;
    private int _hits;

    /// <summary>What it took to find what was not known here since it was asked last, in places and subscriptions looked at.</summary>
    internal long TakeWork()
    {
        long work = _work;
        _work = 0;
        return work;
    }

    /// <summary>The current route of <paramref name="subject"/>; one that is not remembered has expired already.</summary>
    internal Route Find(ReadOnlySpan<byte> subject)
    {
        if (FindKnown(subject, ByteKey.Of(ref MemoryMarshal.GetReference(subject), subject.Length)) is { } known)
        {
            return known;
        }

        if (FindOrBegin(subject, out RouteBuild? build) is { } found)
        {
            return found;
        }

        _work += build!.Advance(int.MaxValue);
        Route built = router.End(build);
        Keep(built);
        return built;
    }

    /// <summary>The current route of <paramref name="subject"/>, whose key is that, if it is known: no lock is taken.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Route? FindKnown(ReadOnlySpan<byte> subject, ByteKey key)
    {
        uint hash = ByteHash.Compute(subject, key, _seed);
        if (_own is not null)
        {
            return _own.Find(subject, key, hash);
        }

        if (ReservedSubjects.Contains(subject) || _shared.Find(subject, key, hash) is not { } known)
        {
            return null;
        }

        _hits++;
        return known;
    }

    /// <inheritdoc cref="Router.FindOrBegin"/>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal Route? FindOrBegin(ReadOnlySpan<byte> subject, out RouteBuild? build)
    {
        uint hash = Hash(subject);
        build = null;
        _work += StepsOfMiss;
        if (ReservedSubjects.Contains(subject) || access?.MayPublish(subject) == false)
        {
            return Keep(Route.Refused(subject), hash);
        }

        int hits = _hits;
        _hits = 0;
        return router.FindOrBegin(subject, hash, atFirstSight: false, hits, ref _work, out build) is { } found ? Keep(found, hash) : null;
    }

    /// <summary>Remembers a route that has been built.</summary>
    internal void Keep(Route built)
    {
        if (_own is not null)
        {
            Keep(built, Hash(built.Subject));
        }
    }

    private readonly uint Hash(ReadOnlySpan<byte> subject) => ByteHash.Compute(subject, _seed);

    private Route Keep(Route found, uint hash)
    {
        if (_own is not null && found.IsCurrent)
        {
            _cost += found.Cost - (_own.Add(found, hash)?.Cost ?? 0);
            while (_cost > MostCost && _own.RemoveNext() is { } gone)
            {
                _cost -= gone.Cost;
            }
        }

        return found;
    }
}
