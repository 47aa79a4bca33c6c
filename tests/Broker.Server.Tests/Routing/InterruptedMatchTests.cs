using System.Text;

namespace Broker.Server.Tests.Routing;

/// <summary>
/// A search that visits very many filters is done in shares, so that one publish does not hold up the loop or the
/// router's lock. The subscriptions may change between the shares.
/// </summary>
public sealed class InterruptedMatchTests
{
    // The work after which a search is interrupted, and the most that one more visit may add.
    private const int MostWork = 2048 + 256;
    private const int Levels = 12;

    private static readonly string Tail = string.Join('.', Enumerable.Repeat("*", 500));

    private static byte[] Bytes(string text) => Encoding.ASCII.GetBytes(text);

    private static Subscription Make(string filter) => new(null!, Bytes(filter), null, "1"u8);

    // Filters whose first tokens all match "a.a…", so that a search compares each of them to its end.
    private static Subscription[] Explosion(Router router, string end)
    {
        Subscription[] all = [.. Enumerable.Range(0, 1 << Levels).Select(mask => Make(
            string.Join('.', Enumerable.Range(0, Levels).Select(i => (mask & (1 << i)) == 0 ? "*" : "a")) + "." + Tail + end))];
        Array.ForEach(all, router.Add);
        return all;
    }

    private static byte[] SubjectFor(string end) => Bytes(string.Join('.', Enumerable.Repeat("a", Levels + 500)) + end);

    [Theory]
    [InlineData(".b", 0)]
    [InlineData(".c", 1 << Levels)]
    public void One_publish_searches_a_share_of_the_filters_in_each_iteration(string subjectEnd, int found)
    {
        var router = new Router();
        Explosion(router, ".c");
        byte[] subject = SubjectFor(subjectEnd);
        var state = new LoopState(0, alone: true);
        var routes = new PublishRoutes(state, router, null, null);
        long total = 0;
        int iterations = 0;
        Route? route = null;
        while (route is null)
        {
            long before = router.Subscriptions.Work;
            state.Budget.Begin(0, isBehind: false);
            route = routes.Resolve(subject);
            total += router.Subscriptions.Work - before;
            // About a millisecond of work.
            Assert.InRange(router.Subscriptions.Work - before, 0, 25_000);
            Assert.Equal(route is null, routes.HasDeferred);
            iterations++;
        }

        Assert.InRange(iterations, 3, 1000);
        Assert.InRange(total, 60_000, long.MaxValue);
        Assert.Equal(found, route.PlainSubscriptions.Length);
    }

    [Fact]
    public void Each_share_holds_the_routers_lock_for_a_limited_number_of_steps()
    {
        var router = new Router();
        Explosion(router, ".c");
        RouteBuild build = Begin(router, SubjectFor(".c"));
        while (build.IsMatching)
        {
            Assert.InRange(router.Advance(build, int.MaxValue), 1, MostWork);
        }

        long work = 0;
        Route route = router.Complete(build, ref work);
        Assert.Equal(1 << Levels, route.PlainSubscriptions.Length);
        Assert.Same(route, router.Find(SubjectFor(".c")));
    }

    [Theory]
    [Seeds(5)]
    public void A_subscription_that_exists_all_the_time_is_found_once_whatever_else_changes(int seed)
    {
        var random = new Random(seed);
        var router = new Router();
        var all = new List<Subscription>(Explosion(router, ".c"));
        byte[] subject = SubjectFor(".c");
        for (int round = 0; round < 20; round++)
        {
            RouteBuild build = Begin(router, subject);
            var constant = all.ToHashSet();
            var added = new HashSet<Subscription>();
            while (build.IsMatching)
            {
                router.Advance(build, random.Next(1, 2000));
                for (int i = random.Next(200); i > 0 && all.Count > 100; i--)
                {
                    int at = random.Next(all.Count);
                    Assert.True(router.Remove(all[at]));
                    constant.Remove(all[at]);
                    all[at] = all[^1];
                    all.RemoveAt(all.Count - 1);
                }

                for (int i = random.Next(200); i > 0; i--)
                {
                    Subscription more = Make(RandomFilter(random));
                    router.Add(more);
                    all.Add(more);
                    added.Add(more);
                }
            }

            long work = 0;
            Subscription[] members = [.. router.Complete(build, ref work).PlainSubscriptions.Where(static s => !s.IsClosed)];
            Assert.Equal(members.Length, members.Distinct().Count());
            Assert.All(members, member => Assert.True(Protocol.Subject.Matches(member.Filter, subject)));
            constant.RemoveWhere(s => !Protocol.Subject.Matches(s.Filter, subject));
            Assert.Subset(members.ToHashSet(), constant);
            Assert.Subset(constant.Union(added).ToHashSet(), members.ToHashSet());
            // The next publish finds the present subscriptions.
            Assert.Equal(
                all.Where(s => Protocol.Subject.Matches(s.Filter, subject)).ToHashSet(),
                router.Find(subject) is var route ? [.. route.PlainSubscriptions.Where(static s => !s.IsClosed), .. Late(route)] : []);
        }
    }

    private static IEnumerable<Subscription> Late(Route route)
        => (route.LateSubscribers?.PlainSubscriptions.Items.ToArray() ?? []).Where(static s => !s.IsClosed);

    private static string RandomFilter(Random random)
    {
        string head = string.Join('.', Enumerable.Range(0, random.Next(1, Levels + 2)).Select(_ => random.Next(3) == 0 ? "b" : random.Next(2) == 0 ? "*" : "a"));
        return random.Next(4) switch
        {
            0 => head + ".>",
            1 => head,
            _ => head + "." + Tail + ".c",
        };
    }

    private static RouteBuild Begin(Router router, byte[] subject)
    {
        // Expires a stored route of the subject.
        router.Refresh(Make(Encoding.ASCII.GetString(subject)));
        long work = 0;
        Assert.Null(router.FindOrBeginBuild(subject, ByteHash.Compute(subject, router.Seed), storeAlways: true, 0, ref work, out RouteBuild? build));
        Assert.True(build!.IsMatching);
        Assert.InRange(work, 1, MostWork);
        return build;
    }
}
