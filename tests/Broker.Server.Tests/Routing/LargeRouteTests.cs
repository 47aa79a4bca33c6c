using System.Text;

namespace Broker.Server.Tests.Routing;

/// <summary>Large routes change in place. The expected result is a linear search of a list of subscriptions.</summary>
public sealed class LargeRouteTests
{
    private static readonly byte[] Subject = "a.b"u8.ToArray();

    [Theory]
    [Seeds(2)]
    public void Added_and_removed_subscriptions_change_a_large_route(int seed)
    {
        var random = new Random(seed);
        var router = new Router();
        var known = new List<Subscription>();
        string[] filters = ["a.b", "a.*", "*.b", ">", "a.>", "c"];
        for (int step = 0; step < 20_000; step++)
        {
            // For some time more subscriptions are added than removed, then fewer.
            bool comes = known.Count == 0 || random.Next(100) < (step / 4_000 % 2 == 0 ? 60 : 45);
            if (comes)
            {
                byte[]? queue = random.Next(3) == 0 ? Encoding.ASCII.GetBytes("q" + random.Next(5)) : null;
                var made = new Subscription(null!, Encoding.ASCII.GetBytes(filters[random.Next(filters.Length)]), queue, "1"u8);
                router.Add(made);
                known.Add(made);
            }
            else
            {
                int at = random.Next(known.Count);
                router.Remove(known[at]);
                known[at] = known[^1];
                known.RemoveAt(known.Count - 1);
            }

            if (step % 7 == 0)
            {
                Compare(router.Find(Subject), known);
            }
        }
    }

    [Fact]
    public void A_large_route_stays_current_when_subscriptions_change()
    {
        var router = new Router();
        Subscription[] all = [.. Enumerable.Range(0, 1_000).Select(_ => new Subscription(null!, Subject, null, "1"u8))];
        Array.ForEach(all, router.Add);
        Route route = router.Find(Subject);
        var more = new Subscription(null!, "*.b"u8.ToArray(), "q"u8.ToArray(), "2"u8);
        router.Add(more);
        Assert.True(route.IsCurrent);
        Assert.True(route.HasOtherSubscribers);
        Assert.Same(route, router.Find(Subject));
        Assert.Same(more, Assert.Single(route.LateSubscribers!.QueueGroups.Items.ToArray()).Members[0]);
        foreach (Subscription subscription in all.Take(600))
        {
            router.Remove(subscription);
        }

        Assert.False(route.IsCurrent);
        Assert.Equal(400, router.Find(Subject).PlainSubscriptions.Length);
    }

    [Fact]
    public void The_oldest_large_route_is_removed_first()
    {
        var router = new Router();
        for (int i = 0; i < LargeRoutes.MinSubscriptions; i++)
        {
            router.Add(new Subscription(null!, ">"u8.ToArray(), null, "1"u8));
        }

        Route first = router.Find("s.first"u8);
        Route last = first;
        for (int i = 0; i < LargeRoutes.MaxRoutes; i++)
        {
            Assert.True(first.IsCurrent);
            last = router.Find(Encoding.ASCII.GetBytes($"s.{i}"));
        }

        Assert.False(first.IsCurrent);
        Assert.True(last.IsCurrent);
        Assert.NotSame(first, router.Find("s.first"u8));
    }

    [Fact]
    public async Task A_route_that_is_built_while_subscriptions_are_added_misses_none()
    {
        var router = new Router();
        for (int i = 0; i < 20_000; i++)
        {
            router.Add(new Subscription(null!, ">"u8.ToArray(), null, "1"u8));
        }

        var late = new List<Subscription>();
        Task adding = Task.Factory.StartNew(() =>
        {
            for (int i = 0; i < 2_000; i++)
            {
                var made = new Subscription(null!, "s.*"u8.ToArray(), null, "2"u8);
                router.Add(made);
                late.Add(made);
            }
        }, TestContext.Current.CancellationToken, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        for (int i = 0; !adding.IsCompleted; i++)
        {
            router.Find(Encoding.ASCII.GetBytes($"s.{i % 50}"));
        }

        await adding;
        for (int i = 0; i < 50; i++)
        {
            Assert.Equal(22_000, Plain(router.Find(Encoding.ASCII.GetBytes($"s.{i}"))).Count());
        }
    }

    private static IEnumerable<Subscription> Plain(Route route)
        => route.PlainSubscriptions.Concat(route.LateSubscribers is { } growth ? growth.PlainSubscriptions.Items.ToArray() : []).Where(s => !s.IsClosed);

    private static void Compare(Route route, List<Subscription> known)
    {
        Subscription[] wanted = [.. known.Where(s => s.Filter is not [(byte)'c'])];
        Assert.Equal(wanted.Where(s => s.Queue is null).ToHashSet(), Plain(route).ToHashSet());
        Assert.Equal(Plain(route).Count(), Plain(route).Distinct().Count());
        QueueGroup[] groups = [.. route.QueueGroups, .. route.LateSubscribers is { } growth ? growth.QueueGroups.Items.ToArray() : []];
        Assert.Equal(groups.Length, groups.DistinctBy(g => Encoding.ASCII.GetString(g.Name)).Count());
        foreach (QueueGroup group in groups)
        {
            Subscription[] members = [.. Members(group).Where(s => !s.IsClosed)];
            Assert.Equal(wanted.Where(s => s.Queue.AsSpan().SequenceEqual(group.Name)).ToHashSet(), members.ToHashSet());
        }

        Assert.Equal(
            wanted.Where(s => s.Queue is not null).Select(s => Encoding.ASCII.GetString(s.Queue!)).ToHashSet(),
            groups.Where(g => Members(g).Any(s => !s.IsClosed)).Select(g => Encoding.ASCII.GetString(g.Name)).ToHashSet());
    }

    private static IEnumerable<Subscription> Members(QueueGroup group)
        => Enumerable.Range(0, group.Count).Select(i =>
        {
            Route renamed = null!;
            return i < group.Members.Length ? group.Members[i] : group.GetOther(i, ref renamed);
        });
}
