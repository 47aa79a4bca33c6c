using Broker.Protocol;

namespace Broker.Server;

/// <summary>
/// The routes with many subscriptions. The build of such a route takes long. So the route does not expire when a
/// subscription is added or removed: the change is applied to the route. Not thread-safe: the router's lock guards this
/// object.
/// </summary>
/// <remarks>
/// There are few large routes, and every changed subscription is compared with each of them. If a limit on their number
/// or cost is reached, the oldest route expires.
/// </remarks>
internal sealed class LargeRoutes(ulong seed)
{
    /// <summary>The smallest number of subscriptions of a large route.</summary>
    internal const int MinSubscriptions = 256;

    internal const int MaxRoutes = 128;
    internal const long MaxCost = 64L * 1024 * 1024;

    /// <summary>The maximum number of builds that can be informed about changes at the same time.</summary>
    internal const int MaxBuilds = 32;

    private readonly Dictionary<byte[], Route> _bySubject = new(new ByteKeyComparer(seed));
    private readonly List<Route> _byAge = [];
    private readonly List<RouteBuild> _builds = [];
    private long _cost;

    internal int Count => _byAge.Count;

    /// <summary>
    /// Registers a build, so that it is informed about changed subscriptions. If too many builds are registered, the
    /// build is out of date from the start.
    /// </summary>
    internal void Begin(RouteBuild build)
    {
        build.IsRegistered = _builds.Count < MaxBuilds;
        build.IsOutOfDate = !build.IsRegistered;
        if (build.IsRegistered)
        {
            _builds.Add(build);
        }
    }

    internal void End(RouteBuild build)
    {
        if (build.IsRegistered)
        {
            build.IsRegistered = false;
            _builds.Remove(build);
        }
    }

    internal Route? Find(ReadOnlySpan<byte> subject)
        => _byAge.Count != 0 && _bySubject.GetAlternateLookup<ReadOnlySpan<byte>>().TryGetValue(subject, out Route? route) ? route : null;

    /// <summary>Adds a route whose <see cref="Route.LateSubscribers"/> is not null.</summary>
    internal void Add(Route route)
    {
        while (_byAge.Count != 0 && (_byAge.Count == MaxRoutes || _cost + route.Cost > MaxCost))
        {
            ExpireAt(0);
        }

        _byAge.Add(route);
        _bySubject.Add(route.Subject, route);
        _cost += route.Cost;
    }

    /// <summary>Applies the changes that occurred during the build of a route that was just added.</summary>
    internal void CatchUp(Route route, RouteBuild build)
    {
        bool isCurrent = build.Added.All(route.TryAdd);
        for (int removed = build.RemovedCount; isCurrent && removed > 0; removed--)
        {
            isCurrent = route.LateSubscribers!.TryRemove();
        }

        if (!isCurrent)
        {
            ExpireAt(_byAge.Count - 1);
        }
    }

    /// <summary>
    /// Adds a new subscription to all large routes whose subject it matches. Returns the number of routes and builds
    /// that were compared with the subscription.
    /// </summary>
    internal int Add(Subscription subscription)
        => Change(subscription, static (route, subscription) => route.TryAdd(subscription));

    /// <summary>
    /// Counts a removed and closed subscription in all large routes whose subject it matches. Returns the number of
    /// routes and builds that were compared with the subscription.
    /// </summary>
    internal int Remove(Subscription subscription)
        => Change(subscription, static (route, subscription) => route.TryRemove(subscription));

    /// <summary>
    /// Called after the permissions of the subscription's client have changed. All large routes whose subject the
    /// subscription matches expire.
    /// </summary>
    internal void Expire(Subscription subscription)
    {
        Change(subscription, static (_, _) => false);
        foreach (RouteBuild build in _builds)
        {
            build.IsOutOfDate |= Subject.Matches(subscription.Filter, build.Subject);
        }
    }

    private int Change(Subscription subscription, Func<Route, Subscription, bool> change)
    {
        foreach (RouteBuild build in _builds)
        {
            if (Subject.Matches(subscription.Filter, build.Subject))
            {
                build.RecordChange(subscription);
            }
        }

        int compared = _byAge.Count;
        for (int i = compared - 1; i >= 0; i--)
        {
            Route route = _byAge[i];
            if (Subject.Matches(subscription.Filter, route.Subject) && !change(route, subscription))
            {
                ExpireAt(i);
            }
        }

        return compared + _builds.Count;
    }

    private void ExpireAt(int at)
    {
        Route route = _byAge[at];
        route.Expire();
        _cost -= route.Cost;
        _byAge.RemoveAt(at);
        _bySubject.Remove(route.Subject);
    }
}
