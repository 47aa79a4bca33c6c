using System.Text;
using Broker.Server.Routing;

namespace Broker.Server.Tests.Routing;

/// <summary>Names made to cost much.</summary>
public sealed class HostileNamesTests
{
    private static byte[] Bytes(string text) => Encoding.Latin1.GetBytes(text);

    private static Subscription Make(string filter) => new(null!, Bytes(filter), null, "1"u8);

    [Fact]
    public void Long_names_that_part_late_share_their_way()
    {
        // 200 filters of 2,000 tokens, each leaving the way of all at another place.
        var router = new Router();
        var all = new List<Subscription>();
        for (int i = 0; i < 200; i++)
        {
            all.Add(Make(string.Join('.', Enumerable.Repeat("a", 1800 + i).Append("b"))));
        }

        all.ForEach(router.Add);
        Assert.InRange(router.Subscriptions.Nodes, all.Count, 2000 + all.Count);
        foreach (Subscription subscription in all)
        {
            Assert.Same(subscription, Assert.Single(router.Find(subscription.Filter).Plain));
            Assert.True(router.Find([.. subscription.Filter, .. ".b"u8]).IsEmpty);
        }

        Assert.All(all, s => Assert.True(router.Remove(s)));
        Assert.Equal(0, router.Subscriptions.Nodes);
    }

    [Fact]
    public void A_long_filter_alone_is_one_place()
    {
        var router = new Router();
        Subscription one = Make(string.Join('.', Enumerable.Repeat("a", 2000)));
        router.Add(one);
        Assert.Equal(1, router.Subscriptions.Nodes);
        Assert.Same(one, Assert.Single(router.Find(one.Filter).Plain));
        Assert.True(router.Remove(one));
        Assert.Equal(0, router.Subscriptions.Nodes);
    }

    [Fact]
    public void One_beginning_of_many_names_is_no_match_for_another()
    {
        var router = new Router();
        string[] names = [.. Enumerable.Range(1, 300).Select(i => new string('a', i)), .. Enumerable.Range(1, 300).Select(i => new string('a', i) + ".a")];
        foreach (string name in names)
        {
            router.Add(Make(name));
        }

        Assert.All(names, n => Assert.Equal(Bytes(n), Assert.Single(router.Find(Bytes(n)).Plain).Filter));
    }

    [Fact]
    public void Empty_tokens_have_routes_of_their_own_that_match_nothing()
    {
        var router = new Router();
        router.Add(Make(">"));
        string[] names = ["", ".", "..", "a.", ".a", "a..", "a..b", "..a", "a", "a.b"];
        var routes = names.ToDictionary(n => n, n => router.Find(Bytes(n)), StringComparer.Ordinal);
        Assert.Equal(["a", "a.b"], routes.Where(r => !r.Value.IsEmpty).Select(r => r.Key));
        Assert.All(names, n => Assert.Same(routes[n], router.Find(Bytes(n))));
        Assert.Equal(names.Length, router.Routes.Count);
        router.Add(Make("a.>"));
        Assert.True(routes["a"].IsCurrent);
        Assert.False(routes["a.b"].IsCurrent);
    }

    [Fact]
    public void Comparing_long_subjects_is_paid_for()
    {
        // One step for each would let a subscription compare megabytes while it holds the lock.
        var router = new Router();
        string tail = string.Join('.', Enumerable.Repeat("t", 1500));
        for (int i = 0; i < 900; i++)
        {
            router.Find(Bytes($"s{i}.{tail}"));
        }

        long before = router.Routes.Steps;
        router.Add(Make($"*.{tail}.x"));
        Assert.True(router.Routes.Steps - before > 900);
        Assert.InRange(router.Routes.Count, 0, 900);
    }

    [Fact]
    public void Subscriptions_that_go_give_the_memory_back()
    {
        var router = new Router();
        Subscription[] all = [.. Enumerable.Range(0, 300_000).Select(i => Make($"devices.{i % 100}.{i}"))];
        long before = GC.GetTotalMemory(forceFullCollection: true);
        Array.ForEach(all, router.Add);
        long full = GC.GetTotalMemory(forceFullCollection: true) - before;
        Assert.InRange(full, 1, 40L * all.Length);
        foreach (Subscription subscription in all.AsSpan(1000))
        {
            router.Remove(subscription);
        }

        long left = GC.GetTotalMemory(forceFullCollection: true) - before;
        Assert.InRange(left, long.MinValue, full / 20);
        Assert.Equal(1000, all.Take(1000).Count(s => router.Find(s.Filter).Plain is [var only] && only == s));
        GC.KeepAlive(all);
    }
}
