using System.Text;

namespace Broker.Server.Tests.Routing;

/// <summary>Which routes a router stores, and which it removes if there are too many.</summary>
public sealed class StoredRoutesTests
{
    // More subjects than are stored at their first use.
    private const int Many = 5_000;
    private const int PerRound = 1_000;

    private int _hits;

    private static byte[] Bytes(string text) => Encoding.ASCII.GetBytes(text);

    private static Subscription Make(string filter) => new(null!, Bytes(filter), null, "1"u8);

    [Fact]
    public void While_few_routes_are_stored_a_subject_is_stored_at_its_first_use()
    {
        var router = new Router();
        var cache = new RouteCache(router);
        Route route = cache.Find("a.b"u8);
        Assert.True(route.IsCurrent);
        Assert.Same(route, cache.Find("a.b"u8));
        Assert.Same(route, new RouteCache(router).Find("a.b"u8));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void While_many_routes_are_stored_a_subject_is_stored_at_its_second_use(bool isHeard)
    {
        var router = new Router();
        Subscription subscription = Make("answer.>");
        if (isHeard)
        {
            router.Add(subscription);
        }

        var cache = new RouteCache(router);
        for (int i = 0; i < Many; i++)
        {
            cache.Find(Bytes($"s.{i}"));
        }

        int remembered = router.Routes.Count;
        Assert.InRange(remembered, 1, Many / 2);
        Route first = cache.Find("answer.1"u8);
        Assert.Equal(isHeard ? [subscription] : [], first.PlainSubscriptions);
        Assert.False(first.IsCurrent);
        Assert.Equal(remembered, router.Routes.Count);
        Route last = first;
        // At the next use, or a few uses later if another subject has the same slot.
        for (int sights = 0; sights < 100 && !last.IsCurrent; sights++)
        {
            last = cache.Find("answer.1"u8);
            Assert.Equal(isHeard ? [subscription] : [], last.PlainSubscriptions);
        }

        Assert.True(last.IsCurrent);
        Assert.Equal(remembered + 1, router.Routes.Count);
        Assert.Same(last, cache.Find("answer.1"u8));
    }

    [Fact]
    public void Tens_of_thousands_of_subjects_used_in_turn_are_all_stored_soon()
    {
        const int Subjects = 40_000;
        var router = new Router();
        var cache = new RouteCache(router);
        byte[][] subjects = [.. Enumerable.Range(0, Subjects).Select(i => Bytes($"s.{i}"))];
        for (int turn = 0; turn < 12; turn++)
        {
            foreach (byte[] subject in subjects)
            {
                cache.Find(subject);
            }
        }

        // Except a few in full sets.
        Assert.InRange(router.Routes.Count, Subjects * 99 / 100, Subjects);
    }

    // Each new route replaces one that is as likely to be used again, so hardly any is stored. But a subject that is
    // used later is stored.
    [Fact]
    public void With_far_too_many_subjects_few_are_replaced_and_later_used_subjects_are_stored()
    {
        const int Room = 4_096;
        const int Subjects = 200_000;
        const int InUse = 1_000;
        var table = new RouteTokenIndex(7, Room);
        byte[][] subjects = [.. Enumerable.Range(0, Subjects).Select(static i => Bytes($"s.{i}"))];
        var random = new Random(Seed.Next());
        for (int i = 0; i < 40 * Room; i++)
        {
            Look(table, subjects[random.Next(Subjects)]);
        }

        // Afterwards the table is full, and few new routes are stored, so each stored route remains for long.
        int added = 0;
        const int Looks = 20 * Room;
        for (int i = 0; i < Looks; i++)
        {
            added += Look(table, subjects[random.Next(Subjects)]) ? 1 : 0;
        }

        Assert.InRange(table.Count, Room - 1, Room);
        Assert.InRange(added, 1, Looks / 16);
        for (int turn = 0; turn < 200; turn++)
        {
            for (int i = 0; i < InUse; i++)
            {
                Look(table, subjects[i]);
            }
        }

        int known = Enumerable.Range(0, InUse).Count(i => table.Find(subjects[i], Hash(subjects[i])) is not null);
        Assert.InRange(known, InUse * 95 / 100, InUse);
    }

    private static uint Hash(ReadOnlySpan<byte> subject) => ByteHash.Compute(subject, 11);

    // Searches as a router does for a publisher and counts each search. Returns true if the route was stored.
    private bool Look(RouteTokenIndex table, byte[] subject)
    {
        uint hash = Hash(subject);
        if (table.Find(subject, hash) is not null)
        {
            _hits++;
            return false;
        }

        table.Admission.CountMiss(_hits);
        _hits = 0;
        if (!table.Admission.ShouldStore(hash, table.Count))
        {
            return false;
        }

        table.Add(new Route(subject, [], [], [], 0), hash);
        return true;
    }

    [Fact]
    public void Nodes_of_expired_routes_do_not_displace_routes()
    {
        var router = new Router();
        for (int i = 0; i < 400_000; i++)
        {
            router.Find(Bytes($"n{i}.a"));
            router.Find(Bytes($"n{i}.b"));
            Subscription both = Make($"n{i}.*");
            router.Add(both);
            router.Remove(both);
        }

        Assert.InRange(router.Routes.Cost, 0, RouteTokenIndex.MaxCost);
        Route[] routes = [.. Enumerable.Range(0, 1_000).Select(i => router.Find(Bytes($"s.{i}")))];
        Assert.Equal(routes.Length, routes.Count(static route => route.IsCurrent));
    }

    [Fact]
    public void A_subject_without_a_stored_route_follows_every_change()
    {
        var router = new Router();
        var cache = new RouteCache(router);
        for (int i = 0; i < Many; i++)
        {
            cache.Find(Bytes($"s.{i}"));
        }

        for (int i = 0; i < Many; i++)
        {
            byte[] subject = Bytes($"once.{i}");
            Assert.True(cache.Find(subject).IsEmpty);
            Subscription subscription = Make($"once.{i}");
            router.Add(subscription);
            Assert.Equal([subscription], cache.Find(subject).PlainSubscriptions);
            router.Remove(subscription);
            Assert.True(cache.Find(subject).IsEmpty);
        }
    }

    [Fact]
    public void Too_many_routes_are_removed_one_at_a_time_and_routes_in_use_remain()
    {
        var router = new Router();
        for (int i = 0; i < Router.RouteCapacity; i++)
        {
            router.Find(Bytes($"a.{i % 300}.{i}"));
        }

        Route[] inUse = [.. Enumerable.Range(0, 1_000).Select(i => router.Find(Bytes($"use.{i}")))];
        int least = int.MaxValue;
        for (int i = 0; i < 2 * Router.RouteCapacity; i++)
        {
            router.Find(Bytes($"b.{i % 300}.{i}"));
            if (i % 1_000 == 0)
            {
                for (int k = 0; k < inUse.Length; k++)
                {
                    router.Find(Bytes($"use.{k}"));
                }
            }

            least = Math.Min(least, router.Routes.Count);
        }

        // Two complete rounds of new subjects replace hardly one of them.
        Assert.InRange(inUse.Count(static route => route.IsCurrent), 900, inUse.Length);
        Assert.InRange(least, Router.RouteCapacity * 9 / 10, Router.RouteCapacity);
        Assert.InRange(router.Routes.Count, least, Router.RouteCapacity);
    }

    [Fact]
    public void A_node_is_removed_with_its_last_route()
    {
        var router = new Router();
        for (int i = 0; i < 4 * Router.RouteCapacity; i++)
        {
            // Each pair of routes has its own nodes, in three levels.
            router.Find(Bytes($"n{i / 2}.x.y.{i % 2}"));
        }

        Assert.InRange(router.Routes.Count, Router.RouteCapacity / 2, Router.RouteCapacity);
        Assert.InRange(router.Routes.Cost, 1, RouteTokenIndex.MaxCost);
        Subscription everything = Make(">");
        router.Add(everything);
        Assert.Equal(0, router.Routes.Count);
        Assert.Equal(0, router.Routes.Cost);
        Assert.Equal([everything], router.Find("n1.x.y.0"u8).PlainSubscriptions);
    }

    // A route uses at most 104 bytes, and an array of one if there is a subscriber. The number of stored routes shows
    // that it is not kept.
    [Theory]
    [InlineData(false, 0)]
    [InlineData(true, 136)]
    public void A_new_subject_allocates_little_and_is_not_stored_if_many_routes_are(bool isHeard, int most)
    {
        var router = new Router();
        router.Add(Make(isHeard ? "_INBOX.>" : "heard.>"));
        var cache = new RouteCache(router);
        for (int i = 0; i < Many; i++)
        {
            cache.Find(Bytes($"s.{i}"));
        }

        // Each round uses other subjects, because the second use of a subject would store it.
        var strangers = new Queue<byte[]>(Enumerable.Range(0, 10 * PerRound).Select(i => Bytes($"_INBOX.{i}.x")));
        int remembered = router.Routes.Count;
        long allocated = Allocations.Of(() =>
        {
            for (int i = 0; i < PerRound; i++)
            {
                cache.Find(strangers.Dequeue());
            }
        });

        // Once in a thousand runs a subject has the hash of another and seems to be used again.
        Assert.InRange(allocated, 0, ((long)most * PerRound) + 2_000);
        Assert.InRange(router.Routes.Count - remembered, 0, 4);
    }
}
