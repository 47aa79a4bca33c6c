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
        const int Subjects = 900;
        var router = new Router();
        string tail = string.Join('.', Enumerable.Repeat("t", 1500));
        for (int i = 0; i < Subjects; i++)
        {
            router.Find(Bytes($"s{i}.{tail}"));
        }

        // More work than the subjects have paid for: the table is emptied, which is one step more for each.
        long before = router.Routes.Steps;
        router.Add(Make($"*.{tail}.x"));
        Assert.InRange(router.Routes.Steps - before, 10 * Subjects, 66 * Subjects);
        Assert.Equal(0, router.Routes.Count);
    }
}
