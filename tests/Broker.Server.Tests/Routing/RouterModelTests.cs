using System.Text;

namespace Broker.Server.Tests.Routing;

/// <summary>Compares the router with a linear search of a list of filters after every step.</summary>
public sealed class RouterModelTests
{
    private const int Steps = 1_000_000;

    // Tokens with a common beginning, tokens that look like wildcards but are none, and a token that is longer than one
    // step of the hash.
    private static readonly string[] Tokens = ["a", "b", "aa", "ab", "*a", "a>", "seventeen-bytes-x", "0", "00"];

    private readonly Router _router = new();
    private readonly List<(Subscription Subscription, string[] Tokens)> _known = [];
    private readonly List<(Route Route, string[] Tokens)> _routes = [];

    // With few subscriptions, nodes are created and removed often. With many, there are deep nodes and filters with
    // many subscriptions.
    [Theory]
    [InlineData(3)]
    [InlineData(12)]
    [InlineData(40)]
    [InlineData(120)]
    public void A_million_random_steps_agree_with_a_linear_search(int subscriptions)
    {
        var random = new Random(Seed.Next());
        int found = 0;
        for (int step = 0; step < Steps; step++)
        {
            int wish = random.Next(4);
            if (wish == 0 && _known.Count < 2 * random.Next(1, subscriptions + 1))
            {
                Subscribe(Name(random, filter: true), random.Next(4) == 0 ? "q"u8.ToArray() : null);
            }
            else if (wish == 1 && _known.Count > 0)
            {
                Unsubscribe(random.Next(_known.Count));
            }
            else
            {
                found += Find(Name(random, filter: false));
            }
        }

        while (_known.Count > 0)
        {
            Unsubscribe(_known.Count - 1);
        }

        Assert.NotEqual(0, found);
        Assert.Equal(0, _router.SubscriptionCount);
        Assert.Equal(0, _router.Subscriptions.Nodes);
    }

    [Theory]
    [Seeds(2)]
    public void The_structure_of_the_trie_depends_only_on_the_subscriptions(int seed)
    {
        var random = new Random(seed);
        for (int round = 0; round < 300; round++)
        {
            for (int i = 0; i < 40; i++)
            {
                Subscribe(Name(random, filter: true), null);
            }

            while (_known.Count > 20)
            {
                Unsubscribe(random.Next(_known.Count));
            }

            var fresh = new Router();
            foreach ((Subscription _, string[] tokens) in _known)
            {
                fresh.Add(new Subscription(null!, Encoding.ASCII.GetBytes(string.Join('.', tokens)), null, "1"u8));
            }

            Assert.Equal(fresh.Subscriptions.Nodes, _router.Subscriptions.Nodes);
        }
    }

    private static string[] Name(Random random, bool filter)
    {
        string[] name = new string[random.Next(1, 6)];
        for (int i = 0; i < name.Length; i++)
        {
            name[i] = random.Next(5) switch
            {
                0 when filter => "*",
                1 when filter && i == name.Length - 1 => ">",
                // The first tokens are used often, so that most names have a common beginning.
                _ => Tokens[Math.Min(random.Next(Tokens.Length), random.Next(Tokens.Length))],
            };
        }

        return name;
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

    private void Subscribe(string[] filter, byte[]? queue)
    {
        var made = new Subscription(null!, Encoding.ASCII.GetBytes(string.Join('.', filter)), queue, "1"u8);
        _router.Add(made);
        _known.Add((made, filter));
        AssertExpiry(filter);
    }

    private void Unsubscribe(int at)
    {
        (Subscription gone, string[] filter) = _known[at];
        _known[at] = _known[^1];
        _known.RemoveAt(_known.Count - 1);
        Assert.True(_router.Remove(gone));
        AssertExpiry(filter);
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

    private int Find(string[] subject)
    {
        byte[] bytes = Encoding.ASCII.GetBytes(string.Join('.', subject));
        Route route = _router.Find(bytes);
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
}
