using Broker.Protocol.Subjects;
using Broker.Server.Collections;

namespace Broker.Server.Routing;

/// <summary>
/// The routes to many. To build one takes long, so that a subscription that comes or goes changes it where it is, instead of making it
/// expire. Not thread-safe: the router's lock guards it.
/// </summary>
/// <remarks>There are few: each is looked at for every subscription. What is full loses the oldest.</remarks>
internal sealed class LargeRoutes(ulong seed)
{
    /// <summary>From how many subscriptions on a route is large.</summary>
    internal const int Least = 256;

    internal const int MostRoutes = 128;
    internal const long MostCost = 64L * 1024 * 1024;

    private readonly Dictionary<byte[], Route> _bySubject = new(new ByteKeyComparer(seed));
    private readonly List<Route> _byAge = [];
    private long _cost;

    internal int Count => _byAge.Count;

    internal Route? Find(ReadOnlySpan<byte> subject)
        => _byAge.Count != 0 && _bySubject.GetAlternateLookup<ReadOnlySpan<byte>>().TryGetValue(subject, out Route? route) ? route : null;

    internal void Add(Route route)
    {
        while (_byAge.Count != 0 && (_byAge.Count == MostRoutes || _cost + route.Cost > MostCost))
        {
            ExpireAt(0);
        }

        _byAge.Add(route);
        _bySubject.Add(route.Subject, route);
        _cost += route.Cost;
    }

    /// <summary>A subscription has come. Returns how many routes were looked at.</summary>
    internal int Add(Subscription subscription)
        => Change(subscription, static (route, subscription, seed) => route.TryAdd(subscription, seed), seed);

    /// <summary>A subscription has gone, and is closed. Returns how many routes were looked at.</summary>
    internal int Remove(Subscription subscription)
        => Change(subscription, static (route, subscription, seed) => route.TryRemove(subscription, seed), seed);

    /// <summary>What the subscription's client may receive has changed.</summary>
    internal void Expire(Subscription subscription) => Change(subscription, static (_, _, _) => false, seed);

    private int Change(Subscription subscription, Func<Route, Subscription, ulong, bool> change, ulong seed)
    {
        int looked = _byAge.Count;
        for (int i = looked - 1; i >= 0; i--)
        {
            Route route = _byAge[i];
            if (Subject.Matches(subscription.Filter, route.Subject) && !change(route, subscription, seed))
            {
                ExpireAt(i);
            }
        }

        return looked;
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
