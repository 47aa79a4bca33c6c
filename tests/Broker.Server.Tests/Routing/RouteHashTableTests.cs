using System.Text;

namespace Broker.Server.Tests.Routing;

public sealed class RouteHashTableTests
{
    private static Route Make(string subject) => Route.InOtherAccount(Encoding.ASCII.GetBytes(subject));

    private static uint Hash(ReadOnlySpan<byte> subject) => ByteHash.Compute(subject, 7);

    private static Route? Find(RouteHashTable sets, string subject)
    {
        byte[] bytes = Encoding.ASCII.GetBytes(subject);
        return sets.Find(bytes, Hash(bytes));
    }

    private static Route? Add(RouteHashTable sets, Route route) => sets.Add(route, Hash(route.Subject));

    [Fact]
    public void An_added_route_is_found_until_it_is_removed()
    {
        var sets = new RouteHashTable(1 << 18);
        Route[] routes = [.. Enumerable.Range(0, 10_000).Select(i => Make($"s.{i}"))];
        Assert.All(routes, route => Assert.Null(Add(sets, route)));
        Assert.Equal(routes.Length, sets.Count);
        for (int i = 0; i < routes.Length; i++)
        {
            Assert.Same(routes[i], Find(sets, $"s.{i}"));
            Assert.Null(Find(sets, $"t.{i}"));
        }

        for (int i = 0; i < routes.Length; i += 2)
        {
            sets.Remove(routes[i]);
        }

        for (int i = 0; i < routes.Length; i++)
        {
            Assert.Equal(i % 2 == 1, Find(sets, $"s.{i}") is not null);
        }

        Assert.Equal(routes.Length / 2, sets.Count);
    }

    // The key of a subject is the whole subject or its last sixteen bytes. A difference in any byte must be detected,
    // even if the hashes are equal.
    [Fact]
    public void Subjects_that_differ_in_a_byte_or_in_length_are_distinguished()
    {
        var sets = new RouteHashTable(1 << 14);
        var subjects = new List<string>();
        for (int length = 1; length <= 3 * ByteKey.Size; length++)
        {
            string same = new('a', length);
            subjects.Add(same);
            subjects.AddRange(Enumerable.Range(0, length).Select(i => $"{same[..i]}b{same[(i + 1)..]}"));
        }

        Route[] routes = [.. subjects.Select(Make)];
        Assert.All(routes, route => Assert.Null(Add(sets, route)));
        Assert.All(subjects.Zip(routes), pair => Assert.Same(pair.Second, Find(sets, pair.First)));
        foreach (Route route in routes)
        {
            byte[] subject = route.Subject;
            var key = ByteKey.Of(ref subject[0], subject.Length);
            Assert.Same(route, Assert.Single(routes, other => other.IsOf(subject, key)));
        }
    }

    [Fact]
    public void An_expired_route_is_not_found_and_its_slot_is_free()
    {
        var sets = new RouteHashTable(RouteHashTable.SetSize);
        Route[] routes = [.. Enumerable.Range(0, RouteHashTable.SetSize).Select(i => Make($"s.{i}"))];
        Assert.All(routes, route => Assert.Null(Add(sets, route)));
        routes[3].Expire();
        Assert.Null(Find(sets, "s.3"));
        Assert.Same(routes[3], Add(sets, Make("other")));
        Assert.Equal(RouteHashTable.SetSize, sets.Count);
    }

    [Fact]
    public void A_route_that_is_not_used_is_replaced_before_one_in_use()
    {
        var sets = new RouteHashTable(RouteHashTable.SetSize);
        Route[] routes = [.. Enumerable.Range(0, RouteHashTable.SetSize).Select(i => Make($"s.{i}"))];
        Assert.All(routes, route => Assert.Null(Add(sets, route)));
        for (int i = 0; i < 100; i++)
        {
            Assert.NotNull(Find(sets, "s.2"));
            Assert.NotNull(Find(sets, "s.5"));
            Route? displaced = Add(sets, Make($"new.{i}"));
            Assert.NotNull(displaced);
            Assert.NotSame(routes[2], displaced);
            Assert.NotSame(routes[5], displaced);
        }
    }

    [Fact]
    public void If_all_routes_of_a_set_are_in_use_one_is_replaced()
    {
        var sets = new RouteHashTable(RouteHashTable.SetSize);
        for (int i = 0; i < RouteHashTable.SetSize; i++)
        {
            Add(sets, Make($"s.{i}"));
            Assert.NotNull(Find(sets, $"s.{i}"));
        }

        Assert.NotNull(Add(sets, Make("new")));
        Assert.NotNull(Find(sets, "new"));
        Assert.Equal(RouteHashTable.SetSize, sets.Count);
    }

    [Fact]
    public void RemoveNext_removes_all_routes_one_at_a_time()
    {
        var sets = new RouteHashTable(1 << 12);
        Route[] routes = [.. Enumerable.Range(0, 1_000).Select(i => Make($"s.{i}"))];
        Assert.All(routes, route => Assert.Null(Add(sets, route)));
        Assert.NotNull(Find(sets, "s.7"));
        var gone = new HashSet<Route>();
        while (sets.RemoveNext() is { } route)
        {
            Assert.True(gone.Add(route));
        }

        Assert.Equal(routes.Length, gone.Count);
        Assert.Equal(0, sets.Count);
    }

    // One thread changes the table, as under the router's lock. Three others search without a lock and must find the
    // requested subject or nothing.
    [Fact]
    public async Task A_search_without_a_lock_finds_the_subject_or_nothing()
    {
        const int Subjects = 3_000;
        const int Changes = 300_000;
        var sets = new RouteHashTable(1 << 11);
        string[] names = [.. Enumerable.Range(0, Subjects).Select(i => $"subject.{i}")];
        bool isOver = false;
        long found = 0;
        int seed = Seed.Next();
        Task[] readers = [.. Enumerable.Range(1, 3).Select(reader => Task.Run(() =>
        {
            var random = new Random(seed + reader);
            // At least one complete round, even if it begins late.
            for (int i = 0; i < Subjects || !Volatile.Read(ref isOver); i++)
            {
                byte[] subject = Encoding.ASCII.GetBytes(names[random.Next(Subjects)]);
                if (sets.Find(subject, Hash(subject)) is { } route)
                {
                    Assert.Equal(subject, route.Subject);
                    Interlocked.Increment(ref found);
                }
            }
        }))];
        var held = new Dictionary<string, Route>();
        var changes = new Random(seed);
        for (int i = 0; i < Changes; i++)
        {
            string name = names[changes.Next(Subjects)];
            if (held.Remove(name, out Route? old))
            {
                old.Expire();
                sets.Remove(old);
            }
            else
            {
                Route route = Make(name);
                held.Add(name, route);
                if (Add(sets, route) is { } displaced)
                {
                    displaced.Expire();
                    held.Remove(Encoding.ASCII.GetString(displaced.Subject));
                }
            }
        }

        Volatile.Write(ref isOver, true);
        await Task.WhenAll(readers);
        Assert.NotEqual(0, found);
        Assert.Equal(held.Count, sets.Count);
        Assert.All(held, pair => Assert.Same(pair.Value, Find(sets, pair.Key)));
    }
}
