namespace Broker.Bridge.Tests.Mapping;

public sealed class InterestSetTests
{
    private readonly InterestSet _set = new(new TopicCodec(Codecs.Options), 100, 1000);
    private CommandLog _log = new();

    [Fact]
    public void A_prefix_is_subscribed_once_and_ended_with_its_last_reference()
    {
        Assert.Equal("+zmq.a.> ?", Add("a.b"));
        Assert.Equal("", Add("a.b"));
        Assert.Equal("", Add("a.c"));
        Assert.Equal(2, _set.PrefixCount);
        Assert.Equal("", Remove("a.b"));
        Assert.Equal("", Remove("a.b"));
        Assert.Equal("", Reach());
        Assert.Equal("-zmq.a.>", Remove("a.c"));
        Assert.Equal(0, _set.SubscriptionCount);
    }

    [Fact]
    public void A_subscription_delivers_only_after_its_barrier()
    {
        Add("a.");
        Assert.False(Delivers("zmq.a.>"));
        Reach();
        Assert.True(Delivers("zmq.a.>"));
        Remove("a.");
        Assert.False(Delivers("zmq.a.>"));
    }

    [Fact]
    public void A_broader_filter_takes_over_after_its_barrier()
    {
        Add("a.");
        Add("a-b.");
        Add("a.b.");
        Reach();
        Assert.Equal("+zmq.> ?", Add(""));
        Assert.True(Delivers("zmq.a.>"));
        Assert.False(Delivers("zmq.>"));
        Assert.Equal("-zmq.a.> -zmq.a-b.>", Reach());
        Assert.False(Delivers("zmq.a.>"));
        Assert.True(Delivers("zmq.>"));
        Assert.Equal("", Add("c."));
    }

    [Fact]
    public void A_broader_filter_stays_until_the_narrower_ones_are_active()
    {
        Add("");
        Add("a.");
        Add("a.b.");
        Add("c.");
        Reach();
        Assert.Equal("+zmq.a.> +zmq.c.> ?", Remove(""));
        Assert.True(Delivers("zmq.>"));
        Assert.False(Delivers("zmq.a.>"));
        Assert.Equal("-zmq.>", Reach());
        Assert.True(Delivers("zmq.a.>"));
        Assert.True(Delivers("zmq.c.>"));
    }

    [Fact]
    public void A_broader_filter_that_is_wanted_again_stays()
    {
        Add("");
        Add("a.");
        Reach();
        Remove("");
        Assert.Equal("-zmq.a.>", Add(""));
        Assert.Equal("", Reach());
        Assert.True(Delivers("zmq.>"));
    }

    [Fact]
    public void A_broader_filter_that_was_only_pending_gives_way_at_once()
    {
        Add("a.");
        Reach();
        Add("");
        Add("b.");
        Assert.Equal("+zmq.b.> -zmq.> ?", Remove(""));
        Assert.True(Delivers("zmq.a.>"));
        Assert.Equal("", Reach());
        Assert.True(Delivers("zmq.b.>"));
    }

    [Fact]
    public void A_middle_filter_wanted_again_releases_the_broader_one_above()
    {
        Add("");
        Add("a.");
        Reach();
        Remove("");
        Reach();
        Add("");
        Add("a.b.");
        Reach();
        Assert.Equal("+zmq.a.> ?", Remove(""));
        Assert.Equal("-zmq.>", Reach());
        Add("");
        Reach();
        Remove("");
        Add("c.");
        long first = _log.LastToken - 1;
        Reach(first);
        Assert.True(Delivers("zmq.>"));
        Assert.Equal("+zmq.a.b.> ?", Remove("a."));
        Reach(first + 1);
        // Every filter is active, but the change to another filter could occur between the copies of a message.
        Assert.Equal("-zmq.a.b.> ?", Add("a."));
        Assert.False(Delivers("zmq.a.>"));
        Assert.Equal("-zmq.>", Reach());
        Assert.True(Delivers("zmq.a.>"));
        Assert.True(Delivers("zmq.c.>"));
    }

    [Fact]
    public void A_new_connection_gets_the_covering_set_under_new_ids()
    {
        Add("");
        Add("a.");
        Reach();
        Remove("");
        Add("b.c.");
        long oldToken = _log.LastToken;
        long oldId = _log.Ids["zmq.>"];
        _log = new CommandLog();
        _set.ConnectionReset(ref _log);
        Assert.Equal("+zmq.a.> +zmq.b.c.> ?", _log.Take());
        Assert.False(_set.ShouldDeliver(oldId));
        Reach(oldToken);
        Assert.False(Delivers("zmq.a.>"));
        Reach();
        Assert.True(Delivers("zmq.a.>"));
        Assert.True(Delivers("zmq.b.c.>"));
        Assert.Equal(2, _set.SubscriptionCount);
    }

    [Fact]
    public void Prefixes_and_their_bytes_are_bounded_and_references_are_free()
    {
        var set = new InterestSet(new TopicCodec(Codecs.Options), 2, 10);
        Assert.Equal(InterestStatus.Accepted, set.Add("12345678"u8.ToArray(), ref _log));
        Assert.Equal(InterestStatus.TooManyBytes, set.Add("abc"u8.ToArray(), ref _log));
        Assert.Equal(InterestStatus.Accepted, set.Add("ab"u8.ToArray(), ref _log));
        Assert.Equal(InterestStatus.TooManyPrefixes, set.Add(""u8.ToArray(), ref _log));
        Assert.Equal(InterestStatus.Accepted, set.Add("ab"u8.ToArray(), ref _log));
        Assert.Equal(InterestStatus.Unknown, set.Remove("abc"u8, ref _log));
        Assert.Equal(InterestStatus.Accepted, set.Remove("12345678"u8, ref _log));
        Assert.Equal(InterestStatus.Accepted, set.Add("12345abc"u8.ToArray(), ref _log));
    }

    [Fact]
    public void A_prefix_is_not_copied()
    {
        const int Many = 100;
        var set = new InterestSet(new TopicCodec(Codecs.Options), Many, 1 << 20);
        byte[][] prefixes = [.. Enumerable.Range(0, Many).Select(i => Codecs.Latin1(new string('x', 4000) + i))];
        long before = GC.GetAllocatedBytesForCurrentThread();
        foreach (byte[] prefix in prefixes)
        {
            set.Add(prefix, ref _log);
        }

        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, Many * 1000);
    }

    [Fact]
    public void A_prefix_that_was_never_added_takes_nothing_away()
    {
        Add("a.b");
        Assert.Equal(InterestStatus.Unknown, _set.Remove("a.c"u8, ref _log));
        Assert.Equal(1, _set.SubscriptionCount);
    }

    [Fact]
    public void Asking_whether_to_deliver_allocates_nothing()
    {
        Add("a.");
        Reach();
        long id = _log.Ids["zmq.a.>"];
        Assert.True(_set.ShouldDeliver(id));
        bool all = true;
        Assert.Equal(0, Allocations.Of(() =>
        {
            for (int i = 0; i < 1000; i++)
            {
                all &= _set.ShouldDeliver(id) && !_set.ShouldDeliver(id + 1);
            }
        }));
        Assert.True(all);
    }

    private string Add(string prefix)
    {
        Assert.Equal(InterestStatus.Accepted, _set.Add(Codecs.Latin1(prefix), ref _log));
        return _log.Take();
    }

    private string Remove(string prefix)
    {
        Assert.Equal(InterestStatus.Accepted, _set.Remove(Codecs.Latin1(prefix), ref _log));
        return _log.Take();
    }

    private string Reach() => Reach(_log.LastToken);

    private string Reach(long token)
    {
        _set.BarrierReached(token, ref _log);
        return _log.Take();
    }

    private bool Delivers(string filter) => _set.ShouldDeliver(_log.Ids[filter]);
}
