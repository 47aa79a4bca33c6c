using System.Text;

namespace Broker.Server.Tests.Routing;

/// <summary>
/// A router and a list of the same filters. Each search, and the routes that expire with a change, are compared with a
/// linear search of the list.
/// </summary>
internal sealed class RouterModel
{
    private readonly List<(Subscription Subscription, string[] Tokens)> _known = [];
    private readonly List<(Route Route, string[] Tokens)> _routes = [];

    internal Router Router { get; } = new();

    /// <summary>The number of subscriptions.</summary>
    internal int Count => _known.Count;

    /// <summary>The filters of the subscriptions, as tokens.</summary>
    internal IEnumerable<string[]> Filters => _known.Select(static k => k.Tokens);

    internal void Subscribe(string[] filter, byte[]? queue)
    {
        var made = new Subscription(null!, Encoding.ASCII.GetBytes(string.Join('.', filter)), queue, "1"u8);
        Router.Add(made);
        _known.Add((made, filter));
        AssertExpiry(filter);
    }

    internal void Unsubscribe(int at)
    {
        (Subscription gone, string[] filter) = _known[at];
        _known[at] = _known[^1];
        _known.RemoveAt(_known.Count - 1);
        Assert.True(Router.Remove(gone));
        AssertExpiry(filter);
    }

    /// <summary>Finds the route of a subject. Returns the number of its subscriptions.</summary>
    internal int Find(string[] subject)
    {
        byte[] bytes = Encoding.ASCII.GetBytes(string.Join('.', subject));
        Route route = Router.Find(bytes);
        int plain = 0;
        int queued = 0;
        foreach ((Subscription subscription, string[] filter) in _known)
        {
            if (Matches(filter, subject))
            {
                bool isPlain = subscription.Queue is null;
                plain += isPlain ? 1 : 0;
                queued += isPlain ? 0 : 1;
                if (Array.IndexOf(isPlain ? route.PlainSubscriptions : Assert.Single(route.QueueGroups).Members, subscription) < 0)
                {
                    Assert.Fail($"{string.Join('.', filter)} is not in the route of {string.Join('.', subject)}");
                }
            }
        }

        // Every expected entry is present, and there are no others.
        if (plain != route.PlainSubscriptions.Length || queued != route.QueueGroups.Sum(static q => q.Count) || !route.IsCurrent)
        {
            Assert.Fail($"{string.Join('.', subject)}: {plain} and {queued} wanted");
        }

        if (_routes.Count < 24 && !_routes.Exists(r => r.Route == route))
        {
            _routes.Add((route, subject));
        }

        return plain + queued;
    }

    // Of the recently used routes, exactly those that the filter matches have expired.
    private void AssertExpiry(string[] filter)
    {
        foreach ((Route route, string[] tokens) in _routes)
        {
            if (route.IsCurrent == Matches(filter, tokens))
            {
                Assert.Fail($"{string.Join('.', filter)} and the route of {string.Join('.', tokens)}, current: {route.IsCurrent}");
            }
        }

        _routes.RemoveAll(static r => !r.Route.IsCurrent);
    }

    private static bool Matches(string[] filter, string[] subject)
    {
        for (int i = 0; i < filter.Length; i++)
        {
            if (i >= subject.Length)
            {
                return false;
            }

            if (filter[i] == ">")
            {
                return true;
            }

            if (filter[i] != "*" && filter[i] != subject[i])
            {
                return false;
            }
        }

        return filter.Length == subject.Length;
    }
}
