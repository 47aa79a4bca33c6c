using System.Text;

namespace Broker.Server.Tests.Routing;

/// <summary>Subjects and filters that are meant to cause much work.</summary>
public sealed class HostileNamesTests
{
    private static byte[] Bytes(string text) => Encoding.Latin1.GetBytes(text);

    private static Subscription Make(string filter) => new(null!, Bytes(filter), null, "1"u8);

    [Fact]
    public void Long_filters_with_a_common_beginning_share_nodes()
    {
        // 200 filters of 2,000 tokens. Each differs from all others at another position.
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
            Assert.Same(subscription, Assert.Single(router.Find(subscription.Filter).PlainSubscriptions));
            Assert.True(router.Find([.. subscription.Filter, .. ".b"u8]).IsEmpty);
        }

        Assert.All(all, s => Assert.True(router.Remove(s)));
        Assert.Equal(0, router.Subscriptions.Nodes);
    }

    [Fact]
    public void A_single_long_filter_needs_one_entry()
    {
        var router = new Router();
        Subscription one = Make(string.Join('.', Enumerable.Repeat("a", 2000)));
        router.Add(one);
        Assert.Equal(1, router.Subscriptions.Nodes);
        Assert.Same(one, Assert.Single(router.Find(one.Filter).PlainSubscriptions));
        Assert.True(router.Remove(one));
        Assert.Equal(0, router.Subscriptions.Nodes);
    }

    [Fact]
    public void A_prefix_of_a_subject_does_not_match_the_subject()
    {
        var router = new Router();
        string[] names = [.. Enumerable.Range(1, 300).Select(i => new string('a', i)), .. Enumerable.Range(1, 300).Select(i => new string('a', i) + ".a")];
        foreach (string name in names)
        {
            router.Add(Make(name));
        }

        Assert.All(names, n => Assert.Equal(Bytes(n), Assert.Single(router.Find(Bytes(n)).PlainSubscriptions).Filter));
    }

    [Fact]
    public void Subjects_with_empty_tokens_have_routes_without_subscribers()
    {
        var router = new Router();
        router.Add(Make(">"));
        string[] names = ["", ".", "..", "a.", ".a", "a..", "a..b", "..a", "a", "a.b"];
        Dictionary<string, Route> routes = names.ToDictionary(n => n, n => router.Find(Bytes(n)), StringComparer.Ordinal);
        Assert.Equal(["a", "a.b"], routes.Where(r => !r.Value.IsEmpty).Select(r => r.Key));
        Assert.All(names, n => Assert.Same(routes[n], router.Find(Bytes(n))));
        Assert.Equal(names.Length, router.Routes.Count);
        router.Add(Make("a.>"));
        Assert.True(routes["a"].IsCurrent);
        Assert.False(routes["a.b"].IsCurrent);
    }

    [Fact]
    public void Comparing_long_subjects_uses_up_credit()
    {
        // With one step for each subject, a subscription could compare megabytes while it holds the lock.
        const int Subjects = 900;
        var router = new Router();
        string tail = string.Join('.', Enumerable.Repeat("t", 1500));
        for (int i = 0; i < Subjects; i++)
        {
            router.Find(Bytes($"s{i}.{tail}"));
        }

        // The work exceeds the credit of the subjects, so the table is emptied, with one more step for each subject.
        long before = router.Routes.Steps;
        router.Add(Make($"*.{tail}.x"));
        Assert.InRange(router.Routes.Steps - before, 10 * Subjects, 66 * Subjects);
        Assert.Equal(0, router.Routes.Count);
    }
}
