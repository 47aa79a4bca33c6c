namespace Broker.ZeroMq.Tests.Queues;

public sealed class ReceiveQueueTests
{
    [Fact]
    public void Messages_of_a_peer_are_taken_whole_and_in_order()
    {
        var bench = new Bench();
        ReceiveSource peer = bench.Source();
        byte[] batch = [.. Bench.Encode("one"), .. Bench.Encode("two", "", "parts"), .. Bench.Encode(new string('x', 300))];

        Assert.Equal(batch.Length, bench.Add(peer, batch, 3));

        Assert.Equal("one", bench.TakeNow());
        Assert.Equal("two||parts", bench.TakeNow());
        Assert.Equal(new string('x', 300), bench.TakeNow());
        Assert.Null(bench.TakeNow());
        Assert.Equal(0, bench.Pool.Outstanding);
    }

    [Fact]
    public void Messages_of_several_peers_are_taken_round_robin()
    {
        var bench = new Bench();
        bench.Add(bench.Source(), Bench.Numbers(100, 500), 500);
        bench.Add(bench.Source(), Bench.Numbers(2000, 3), 3);
        bench.Add(bench.Source(), Bench.Numbers(3000, 3), 3);

        int[] taken = [.. Enumerable.Range(0, 9).Select(_ => bench.TakeNumber())];

        Assert.Equal([100, 2000, 3000, 101, 2001, 3001, 102, 2002, 3002], taken);
        Assert.Equal(103, bench.TakeNumber());
    }

    [Fact]
    public void A_new_peer_is_served_after_one_message_of_each_flooding_peer()
    {
        var bench = new Bench();
        bench.Add(bench.Source(), Bench.Numbers(0, 900), 900);
        Assert.Equal(0, bench.TakeNumber());

        bench.Add(bench.Source(), "late");

        Assert.Equal(1, bench.TakeNumber());
        Assert.Equal("late", bench.TakeNow());
    }

    [Fact]
    public void A_refused_message_stays_the_next_one()
    {
        var bench = new Bench();
        bench.Add(bench.Source(), "kept");
        var refuser = new Bench.Refuser();

        Assert.Equal(DequeueResult.Refused, bench.Queue.Dequeue(ref refuser));

        Assert.Equal("kept", bench.TakeNow());
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(7)]
    [InlineData(1000)]
    public void A_peer_has_room_for_as_many_messages_as_the_mark(int mark)
    {
        var bench = new Bench(mostMessages: mark);
        ReceiveSource peer = bench.Source();
        byte[] batch = Bench.Numbers(0, mark + 5);

        int added = bench.Add(peer, batch, mark + 5);

        Assert.Equal(mark * 10, added);
        Assert.True(peer.IsPaused);
        Assert.Equal(0, bench.Add(peer, batch.AsSpan(added), 5));
        Assert.True(bench.Add(bench.Source(), "another peer has room of its own"));
    }

    [Fact]
    public void A_paused_peer_is_resumed_once_at_half_of_the_mark()
    {
        var bench = new Bench(mostMessages: 8);
        ReceiveSource peer = bench.Source();
        bench.Add(peer, Bench.Numbers(0, 9), 9);

        // There are four chunks of two messages. A chunk's messages count until the second one is taken.
        int[] early = [.. Enumerable.Range(0, 3).Select(_ => bench.TakeNumber())];
        Assert.Equal([0, 1, 2], early);
        Assert.Empty(bench.AllResumed);

        Assert.Equal(3, bench.TakeNumber());
        Assert.Equal(peer, Assert.Single(bench.AllResumed));
        Assert.False(peer.IsPaused);
        Assert.Equal(10, bench.Add(peer, Bench.Numbers(8, 1), 1));
        while (bench.TakeNumber() >= 0)
        {
        }

        Assert.Single(bench.AllResumed);
    }

    [Fact]
    public void Memory_is_bounded_over_all_peers_and_all_peers_are_resumed()
    {
        const int MostBytes = 4 * MessageChunkPool.Large;
        var bench = new Bench(mostMessages: 0, mostBytes: MostBytes);
        ReceiveSource[] peers = Enumerable.Range(0, 10).Select(i => bench.Source()).ToArray();
        byte[] batch = Bench.Numbers(0, 60, size: 1000);

        int[] added = [.. peers.Select(peer => bench.Add(peer, batch, 60))];

        Assert.Equal(4, added.Count(bytes => bytes == batch.Length));
        Assert.Equal(6, added.Count(bytes => bytes == 0));
        Assert.InRange(bench.Pool.Outstanding, 1, MostBytes);
        while (bench.TakeNumber() >= 0)
        {
        }

        Assert.Equal(6, bench.AllResumed.Count);
        Assert.Equal(0, bench.Pool.Outstanding);
    }

    [Fact]
    public void A_message_larger_than_the_bound_is_accepted_by_an_empty_queue()
    {
        var bench = new Bench(mostBytes: 1000);
        ReceiveSource peer = bench.Source();
        string large = new('x', 200_000);

        Assert.True(bench.Add(peer, large));
        Assert.False(bench.Add(peer, "small"));

        Assert.Equal(large, bench.TakeNow());
        Assert.Equal(peer, Assert.Single(bench.AllResumed));
        Assert.Equal(0, bench.Pool.Outstanding);
    }

    [Fact]
    public void Large_and_small_messages_of_one_batch_stay_in_order()
    {
        var bench = new Bench(mostBytes: 10 << 20);
        int[] sizes = [10, 70_000, 30_000, 40_000, 1, 65_000, 200_000, 3];
        byte[] batch = [.. sizes.SelectMany(size => Bench.Encode(new string('x', size)))];

        Assert.Equal(batch.Length, bench.Add(bench.Source(), batch, sizes.Length));

        Assert.Equal(sizes, sizes.Select(_ => bench.TakeNow()!.Length));
        Assert.Equal(0, bench.Pool.Outstanding);
    }

    [Fact]
    public void A_message_of_64_KiB_takes_one_chunk_of_the_pool()
    {
        var bench = new Bench(mostBytes: 10 << 20);
        byte[] message = Bench.Encode(new string('x', 65_536));

        Assert.Equal(message.Length, bench.Add(bench.Source(), message, 1));

        Assert.InRange(bench.Pool.Outstanding, message.Length, MessageChunkPool.Large);
        Assert.Equal(65_536, bench.TakeNow()!.Length);
    }

    [Fact]
    public void Small_messages_are_packed()
    {
        var bench = new Bench(mostMessages: 0);
        ReceiveSource peer = bench.Source();
        for (int i = 0; i < 5000; i++)
        {
            Assert.Equal(10, bench.Add(peer, Bench.Numbers(i, 1), 1));
        }

        // The messages have 50 kB in all.
        Assert.InRange(bench.Pool.Outstanding, 50_000, MessageChunkPool.Small + MessageChunkPool.Large);
        Assert.Equal(Enumerable.Range(0, 5000), Enumerable.Range(0, 5000).Select(_ => bench.TakeNumber()));
    }

    [Fact]
    public void A_closed_queue_contains_nothing_and_drops_later_messages()
    {
        var bench = new Bench();
        ReceiveSource peer = bench.Source();
        bench.Add(peer, Bench.Numbers(0, 900), 900);
        bench.Add(bench.Source(), Bench.Numbers(0, 5), 5);
        bench.TakeNumber();

        bench.Queue.Close();

        Assert.Equal(0, bench.Pool.Outstanding);
        Assert.Equal(10, bench.Add(peer, Bench.Numbers(0, 1), 1));
        var reader = new Bench.NumberTaker();
        Assert.Equal(DequeueResult.Closed, bench.Queue.Dequeue(ref reader));
        Assert.Equal(0, bench.Pool.Outstanding);
    }

    [Fact]
    public void A_disconnected_peer_is_not_resumed_and_its_messages_are_received()
    {
        var bench = new Bench(mostMessages: 4);
        ReceiveSource peer = bench.Source();
        bench.Add(peer, Bench.Numbers(0, 5), 5);

        bench.Queue.RemovePaused(peer);

        Assert.Equal([0, 1, 2, 3], Enumerable.Range(0, 4).Select(_ => bench.TakeNumber()));
        Assert.Empty(bench.AllResumed);
    }

    [Fact]
    public void Adding_and_taking_allocate_nothing()
    {
        var bench = new Bench();
        ReceiveSource peer = bench.Source();
        byte[] batch = Bench.Numbers(0, 200);
        Round(bench, peer, batch);

        Assert.Equal(0, Allocations.Of(() =>
        {
            for (int i = 0; i < 100; i++)
            {
                Round(bench, peer, batch);
            }
        }));

        static void Round(Bench bench, ReceiveSource peer, byte[] batch)
        {
            bench.Add(peer, batch, 200);
            while (bench.TakeNumber() >= 0)
            {
            }
        }
    }
}
