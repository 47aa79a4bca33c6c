using System.Text;
using Broker.Protocol;

namespace Broker.Server.Tests.Routing;

public sealed class RouterTests
{
    private static byte[] Bytes(string text) => Encoding.Latin1.GetBytes(text);

    private static Subscription Make(string filter, string? queue = null)
        => new(null!, Bytes(filter), queue is null ? null : Bytes(queue), "1"u8);

    // Independent of the trie and of Subject.Matches: compares token arrays from the left.
    private static bool Matches(string[] filter, string[] subject)
    {
        for (int i = 0; i < filter.Length; i++)
        {
            if (filter[i] == ">" && i == filter.Length - 1)
            {
                return subject.Length > i;
            }

            if (i >= subject.Length || (filter[i] != "*" && filter[i] != subject[i]))
            {
                return false;
            }
        }

        return filter.Length == subject.Length;
    }

    [Theory]
    [Seeds(3)]
    public void Trie_and_routes_agree_with_brute_force(int seed)
    {
        var random = new Random(seed);
        var router = new Router();
        var known = new List<(Subscription Subscription, string[] Tokens)>();
        var routes = new Dictionary<string, Route>(StringComparer.Ordinal);
        string[] names = ["a", "b", "c", "dd", "*x", "e>"];
        string Random(bool filter)
        {
            int length = random.Next(1, 6);
            return string.Join('.', Enumerable.Range(0, length).Select(i => random.Next(4) switch
            {
                0 when filter => "*",
                1 when filter && i == length - 1 => ">",
                _ => names[random.Next(names.Length)],
            }));
        }

        int checks = 0;
        while (checks < 400_000)
        {
            if (known.Count < 40 || random.Next(2) == 0)
            {
                string filter = Random(filter: true);
                Subscription made = Make(filter, random.Next(3) == 0 ? "q" + random.Next(3) : null);
                router.Add(made);
                known.Add((made, filter.Split('.')));
                AssertExpired(filter.Split('.'));
            }
            else
            {
                int at = random.Next(known.Count);
                (Subscription gone, string[] tokens) = known[at];
                known.RemoveAt(at);
                Assert.True(router.Remove(gone));
                Assert.False(router.Remove(gone));
                AssertExpired(tokens);
            }

            for (int i = 0; i < 8; i++)
            {
                string subject = Random(filter: false);
                string[] tokens = subject.Split('.');
                Route route = router.Find(Bytes(subject));
                HashSet<Subscription> wanted = [.. known.Where(k => Matches(k.Tokens, tokens)).Select(k => k.Subscription)];
                checks += known.Count;
                Assert.Equal(wanted, [.. route.PlainSubscriptions, .. route.QueueGroups.SelectMany(q => q.Members)]);
                Assert.Equal(wanted.Count, route.PlainSubscriptions.Length + route.QueueGroups.Sum(q => q.Count));
                Assert.All(route.PlainSubscriptions, s => Assert.Null(s.Queue));
                Assert.All(route.QueueGroups, q => Assert.Single(q.Members.DistinctBy(s => Encoding.Latin1.GetString(s.Queue!))));
                Assert.Equal(route.QueueGroups.Length, route.QueueGroups.DistinctBy(q => Encoding.Latin1.GetString(q.Members[0].Queue!)).Count());
                Assert.True(route.IsCurrent);
                Assert.Same(route, router.Find(Bytes(subject)));
                routes[subject] = route;
            }
        }

        void AssertExpired(string[] filter)
        {
            // The routes that the filter matches, and no others.
            foreach ((string subject, Route route) in routes.ToArray())
            {
                Assert.Equal(!Matches(filter, subject.Split('.')), route.IsCurrent);
                if (!route.IsCurrent)
                {
                    routes.Remove(subject);
                }
            }
        }
    }

    [Fact]
    public void After_all_subscriptions_are_removed_the_trie_has_no_nodes()
    {
        var random = new Random(Seed.Next());
        var router = new Router();
        Subscription[] all = [.. Enumerable.Range(0, 20_000).Select(_ => Make(string.Join(
            '.', Enumerable.Range(0, random.Next(1, 9)).Select(i => random.Next(5) == 0 ? "*" : "t" + random.Next(6))) + (random.Next(3) == 0 ? ".>" : "")))];
        Array.ForEach(all, router.Add);
        Assert.Equal(all.Length, router.SubscriptionCount);
        Assert.NotEqual(0, router.Subscriptions.Nodes);
        random.Shuffle(all);
        Assert.All(all, s => Assert.True(router.Remove(s)));
        Assert.Equal(0, router.SubscriptionCount);
        Assert.Equal(0, router.Subscriptions.Nodes);
    }

    [Fact]
    public void A_match_visits_each_node_at_most_once()
    {
        // Every combination of '*' and names for twelve tokens. A recursive walk with copies would visit 2^12 times as
        // many nodes.
        var router = new Router();
        for (int mask = 0; mask < 4096; mask++)
        {
            router.Add(Make(string.Join('.', Enumerable.Range(0, 12).Select(i => (mask & (1 << i)) == 0 ? "*" : "a"))));
        }

        long before = router.Subscriptions.Steps;
        Assert.Equal(4096, router.Find(Bytes("a.a.a.a.a.a.a.a.a.a.a.a")).PlainSubscriptions.Length);
        Assert.InRange(router.Subscriptions.Steps - before, 1, router.Subscriptions.Nodes + 1);
    }

    [Fact]
    public void Thousands_of_tokens_are_handled_without_recursion_and_removed()
    {
        string stars = string.Join('.', Enumerable.Repeat("*", 2000));
        string names = string.Join('.', Enumerable.Repeat("a", 2000));
        var router = new Router();
        Subscription[] all = [Make(stars), Make(names), Make(stars + ".>"), Make("*.>"), Make(names + ".*")];
        Array.ForEach(all, router.Add);
        long before = router.Subscriptions.Steps;
        Assert.Equal(3, router.Find(Bytes(names)).PlainSubscriptions.Length);
        Assert.Equal(3, router.Find(Bytes(names + ".b")).PlainSubscriptions.Length);
        Assert.InRange(router.Subscriptions.Steps - before, 1, 2L * (router.Subscriptions.Nodes + 1));
        Assert.All(all, s => Assert.True(router.Remove(s)));
        Assert.Equal(0, router.Subscriptions.Nodes);
    }

    [Fact]
    public void Subjects_that_are_used_once_use_limited_memory()
    {
        var router = new Router();
        router.Add(Make("s.*"));
        long before = GC.GetTotalMemory(forceFullCollection: true);
        var cache = new RouteCache(router);
        for (int i = 0; i < 1_000_000; i++)
        {
            Assert.Single(cache.Find(Bytes($"s.{i}")).PlainSubscriptions);
        }

        Assert.InRange(router.Routes.Count, 1, Router.RouteCapacity);
        Assert.InRange(router.Routes.Cost, 1, RouteTokenIndex.MaxCost + 1024 * 1024);
        Assert.InRange(GC.GetTotalMemory(forceFullCollection: true) - before, long.MinValue, 160L * 1024 * 1024);
        GC.KeepAlive(router);
    }

    [Theory]
    [InlineData(1, 4000)]
    [InlineData(2000, 1)]
    public void Long_subjects_use_limited_memory(int tokens, int length)
    {
        var router = new Router();
        long before = GC.GetTotalMemory(forceFullCollection: true);
        var cache = new RouteCache(router);
        string tail = string.Join('.', Enumerable.Repeat(new string('x', length), tokens));
        for (int i = 0; i < (tokens == 1 ? 30_000 : 1_000); i++)
        {
            Assert.True(cache.Find(Bytes($"{i}.{tail}")).IsEmpty);
        }

        Assert.InRange(router.Routes.Cost, 1, RouteTokenIndex.MaxCost + 1024 * 1024);
        Assert.InRange(GC.GetTotalMemory(forceFullCollection: true) - before, long.MinValue, 160L * 1024 * 1024);
        GC.KeepAlive(router);
    }

    [Fact]
    public void Large_routes_use_limited_memory()
    {
        var router = new Router();
        for (int i = 0; i < 10_000; i++)
        {
            router.Add(Make(">"));
        }

        long before = GC.GetTotalMemory(forceFullCollection: true);
        var cache = new RouteCache(router);
        for (int i = 0; i < 3_000; i++)
        {
            Assert.Equal(10_000, cache.Find(Bytes($"s.{i}")).PlainSubscriptions.Length);
        }

        Assert.InRange(GC.GetTotalMemory(forceFullCollection: true) - before, long.MinValue, 160L * 1024 * 1024);
        GC.KeepAlive(router);
    }

    [Fact]
    public void Repeated_subscriptions_do_not_walk_through_all_subjects_each_time()
    {
        var router = new Router();
        for (int i = 0; i < 60_000; i++)
        {
            router.Find(Bytes($"s{i}.t"));
        }

        long before = router.Routes.Steps;
        foreach (string filter in new[] { "*.nobody", ">", "*.*.x" })
        {
            for (int i = 0; i < 10_000; i++)
            {
                Subscription subscription = Make(filter);
                router.Add(subscription);
                router.Remove(subscription);
            }
        }

        // 60,000 changes: each may visit FreeSteps nodes, but the credit of 60,000 routes is a few million steps in
        // all.
        Assert.InRange(router.Routes.Steps - before, 1, 6_000_000);
    }

    [Fact]
    public void A_million_subscriptions_use_limited_memory_and_can_be_removed()
    {
        var router = new Router();
        long before = GC.GetTotalMemory(forceFullCollection: true);
        var all = new Subscription[1_000_000];
        for (int i = 0; i < all.Length; i++)
        {
            all[i] = Make($"devices.{i / 1000}.{i % 1000}");
            router.Add(all[i]);
        }

        long each = (GC.GetTotalMemory(forceFullCollection: true) - before) / all.Length;
        TestContext.Current.TestOutputHelper?.WriteLine($"{each} bytes per subscription");
        Assert.InRange(each, 1, 600);
        Assert.Single(router.Find(Bytes("devices.999.999")).PlainSubscriptions);
        Array.ForEach(all, s => router.Remove(s));
        Assert.Equal(0, router.Subscriptions.Nodes);
    }

    [Fact]
    public void A_subject_with_an_empty_token_has_no_subscribers()
    {
        var router = new Router();
        router.Add(Make(">"));
        router.Add(Make("*.*"));
        Assert.All(new[] { "a..b", ".a", "a.", ".", "" }, s => Assert.True(router.Find(Bytes(s)).IsEmpty));
        Assert.True(Subject.HasWildcard(">"u8));
    }
}
