using System.Text;

namespace Broker.Server.Tests.Routing;

/// <summary>A large route is built in steps while subscriptions are added and removed.</summary>
public sealed class RouteBuildTests
{
    private const int Many = 100_000;

    private static readonly byte[] Subject = "a.b"u8.ToArray();

    private static Subscription Make(string filter, string? queue = null)
        => new(null!, Encoding.ASCII.GetBytes(filter), queue is null ? null : Encoding.ASCII.GetBytes(queue), "1"u8);

    private static RouteBuild Begin(Router router, ReadOnlySpan<byte> subject)
    {
        long work = 0;
        Assert.Null(router.FindOrBeginBuild(subject, ByteHash.Compute(subject, router.Seed), storeAlways: true, 0, ref work, out RouteBuild? build));
        // Finding them is one copy of their list.
        Assert.InRange(work, 1, Many / 10);
        return build!;
    }

    private static List<Subscription> Members(Route route)
    {
        var members = new List<Subscription>(route.PlainSubscriptions);
        members.AddRange(route.LateSubscribers is { } growth ? growth.PlainSubscriptions.Items.ToArray() : []);
        foreach (QueueGroup group in (QueueGroup[])[.. route.QueueGroups, .. route.LateSubscribers is { } grown ? grown.QueueGroups.Items.ToArray() : []])
        {
            Route renamed = null!;
            members.AddRange(Enumerable.Range(0, group.Count).Select(i => i < group.Members.Length ? group.Members[i] : group.GetOther(i, ref renamed)));
        }

        members.RemoveAll(s => s.IsClosed);
        return members;
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(100)]
    [InlineData(Many)]
    public void Each_step_processes_the_given_number_of_subscriptions(int groups)
    {
        const int Step = 1_000;
        var router = new Router();
        Subscription[] all = [.. Enumerable.Range(0, Many).Select(i => Make("a.b", groups == 0 ? null : $"q{i % groups}"))];
        Array.ForEach(all, router.Add);
        RouteBuild build = Begin(router, Subject);
        int steps = 0;
        while (!build.IsComplete)
        {
            // The members of one group are copied at once.
            Assert.InRange(build.Advance(Step), 0, Step + (Many / 64));
            steps++;
        }

        Assert.InRange(steps, Many / Step, (2 * Many / Step) + 2);
        Route route = router.EndBuild(build);
        Assert.True(route.IsCurrent);
        Assert.Same(route, router.Find(Subject));
        Assert.Equal(groups, route.QueueGroups.Length);
        Assert.Equal(all.ToHashSet(), Members(route).ToHashSet());
    }

    [Theory]
    [Seeds(3)]
    public void Subscriptions_that_change_during_the_build_are_added_and_removed(int seed)
    {
        var random = new Random(seed);
        var router = new Router();
        var known = new List<Subscription>();
        for (int round = 0; round < 30; round++)
        {
            for (int i = 0; i < 400; i++)
            {
                Come();
            }

            RouteBuild build = Begin(router, Subject);
            while (!build.IsComplete)
            {
                build.Advance(random.Next(1, 100));
                for (int i = random.Next(6); i > 0; i--)
                {
                    if (random.Next(2) == 0)
                    {
                        Come();
                    }
                    else
                    {
                        int at = random.Next(known.Count);
                        Assert.True(router.Remove(known[at]));
                        known.RemoveAt(at);
                    }
                }
            }

            Route route = router.EndBuild(build);
            Assert.Equal(route.IsCurrent, ReferenceEquals(route, router.Find(Subject)));
            List<Subscription> members = Members(router.Find(Subject));
            Assert.Equal(known.Where(s => s.Filter is not [(byte)'c']).ToHashSet(), members.ToHashSet());
            Assert.Equal(members.Count, members.Distinct().Count());
            // The next route is built from the beginning.
            while (router.Find(Subject).IsCurrent && known.Count > 10)
            {
                Assert.True(router.Remove(known[^1]));
                known.RemoveAt(known.Count - 1);
            }
        }

        void Come()
        {
            Subscription made = Make(((string[])["a.b", "a.*", ">", "c"])[random.Next(4)], random.Next(3) == 0 ? "q" + random.Next(50) : null);
            known.Add(made);
            router.Add(made);
        }
    }

    [Fact]
    public void A_build_that_cannot_apply_a_change_gives_a_route_only_for_its_publisher()
    {
        var router = new Router();
        Subscription[] all = [.. Enumerable.Range(0, 1_000).Select(_ => Make("a.*"))];
        Array.ForEach(all, router.Add);
        RouteBuild build = Begin(router, Subject);
        build.Advance(10);
        // For example, when permissions change.
        router.Refresh(all[0]);
        build.Advance(int.MaxValue);
        Route route = router.EndBuild(build);
        Assert.Equal(1_000, route.PlainSubscriptions.Length);
        Assert.False(route.IsCurrent);
        Assert.NotSame(route, router.Find(Subject));
        Assert.True(router.Find(Subject).IsCurrent);
    }

    [Fact]
    public void The_number_of_registered_builds_is_limited_and_abandoned_builds_do_not_count()
    {
        var router = new Router();
        for (int i = 0; i < 1_000; i++)
        {
            router.Add(Make(">"));
        }

        RouteBuild[] builds = [.. Enumerable.Range(0, LargeRoutes.MaxBuilds + 1).Select(i => Begin(router, Encoding.ASCII.GetBytes($"s.{i}")))];
        Assert.Equal(LargeRoutes.MaxBuilds, builds.Count(b => b.IsRegistered));
        RouteBuild last = builds[^1];
        last.Advance(int.MaxValue);
        Assert.False(router.EndBuild(last).IsCurrent);
        router.AbandonBuild(builds[0]);
        Assert.True(Begin(router, "s.x"u8).IsRegistered);
    }

    [Fact]
    public void Matching_subscriptions_are_listed_without_reading_them_under_the_lock()
    {
        var router = new Router();
        Looked[] all = [.. Enumerable.Range(0, 1_000).Select(i => new Looked(router, isInternal: i % 10 == 0))];
        Array.ForEach(all, router.Add);
        Array.ForEach(all, s => s.Looks = s.LooksUnderLock = 0);
        Assert.Equal(all.Where(s => !s.IsInternal).ToHashSet<Subscription>(), router.Match(Subject).ToHashSet());
        Assert.All(all, s => Assert.InRange(s.Looks, 1, 10));
        Assert.All(all, s => Assert.Equal(0, s.LooksUnderLock));
    }

    private sealed class Looked(Router router, bool isInternal) : Subscription(null, Subject, null, "1"u8)
    {
        internal int Looks { get; set; }

        internal int LooksUnderLock { get; set; }

        internal override bool IsInternal
        {
            get
            {
                Looks++;
                LooksUnderLock += router.IsLockHeld ? 1 : 0;
                return isInternal;
            }
        }
    }
}
