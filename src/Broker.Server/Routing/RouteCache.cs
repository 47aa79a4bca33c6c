using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Broker.Server;

/// <summary>
/// Finds the routes for one publisher. A publisher that may publish everything searches the router's shared routes
/// without a lock. A publisher with restricted permissions has its own table: it checks the permission for a subject
/// once, and then stores the route or a refused route. A publisher in an account with subject mappings also has its own
/// table, for the routes of mapped subjects. Used on the publisher's loop only.
/// </summary>
/// <param name="router">The router of the publisher's account.</param>
/// <param name="access">The permissions of the publisher; null if it may publish everything.</param>
/// <param name="mappings">The mappings of the subjects; null if subjects are not mapped.</param>
internal struct RouteCache(Router router, AccessRules? access = null, AccountMappings? mappings = null)
{
    /// <summary>The largest number of routes that a publisher with restricted permissions stores.</summary>
    internal const int MaxSlots = 1024;

    // The cost of a search under the router's lock, in visited nodes.
    private const int StepsOfMiss = 8;

    // A limit for clients that the server does not trust: long subjects and large routes must not fill the memory.
    private const long MaxCost = 1024 * 1024;

    private readonly RouteHashTable? _own = access is null && mappings is null ? null : new RouteHashTable(MaxSlots);

    // The router's table, which all publishers without an own table share.
    private readonly RouteHashTable _shared = router.StoredRoutes;
    private readonly ulong _seed = router.Seed;
    private long _cost;
    private long _work;
    private int _hits;

    /// <summary>
    /// Returns and resets the work of searches for routes that were not stored here, in visited nodes and
    /// subscriptions.
    /// </summary>
    internal long ExchangeWork()
    {
        long work = _work;
        _work = 0;
        return work;
    }

    /// <summary>
    /// Returns the current route of <paramref name="subject"/>. If the route is not stored, it has already expired.
    /// </summary>
    internal Route Find(ReadOnlySpan<byte> subject)
    {
        if (FindStored(subject, ByteKey.Of(ref MemoryMarshal.GetReference(subject), subject.Length)) is { } known)
        {
            return known;
        }

        if (FindOrBeginBuild(subject, out RouteBuild? build) is { } found)
        {
            return found;
        }

        return Store(router.Complete(build!, ref _work));
    }

    /// <summary>
    /// Returns the current route of <paramref name="subject"/>, which has the key <paramref name="key"/>; null if the
    /// route is not stored. Takes no lock.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Route? FindStored(ReadOnlySpan<byte> subject, ByteKey key)
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

    /// <inheritdoc cref="Router.FindOrBeginBuild"/>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal Route? FindOrBeginBuild(ReadOnlySpan<byte> subject, out RouteBuild? build)
    {
        uint hash = Hash(subject);
        build = null;
        _work += StepsOfMiss;
        bool isReserved = ReservedSubjects.Contains(subject);
        // As in nats-server, a publisher needs permission for the new subject of a mapped message, and not for the
        // published subject.
        if (mappings is not null && !isReserved && router.FindMapping(subject) is { } mapping)
        {
            return Store(Route.Mapped(subject, mapping), hash);
        }

        if (isReserved || access?.MayPublish(subject) == false)
        {
            return Store(Route.Refused(subject), hash);
        }

        int hits = _hits;
        _hits = 0;
        return router.FindOrBeginBuild(subject, hash, storeAlways: false, hits, ref _work, out build) is { } found ? Store(Admit(found), hash) : null;
    }

    /// <summary>Stores a route that was built. Returns the route that this publisher must use.</summary>
    internal Route Store(Route built)
        => _own is null ? built : Store(Admit(built), Hash(built.Subject));

    // Only a publisher with access rules can be a client that a subject is reserved for.
    private readonly Route Admit(Route found)
        => found.IsReserved && access is not null
            && (router.Reservations.Subjects is not { } reserved || access.MayPublishReserved(found.Subject, reserved))
                ? found.ReplyRoute!
                : found;

    private readonly uint Hash(ReadOnlySpan<byte> subject) => ByteHash.Compute(subject, _seed);

    private Route Store(Route found, uint hash)
    {
        if (_own is not null && found.IsCurrent)
        {
            _cost += found.Cost - (_own.Add(found, hash)?.Cost ?? 0);
            while (_cost > MaxCost && _own.RemoveNext() is { } removed)
            {
                _cost -= removed.Cost;
            }
        }

        return found;
    }
}
