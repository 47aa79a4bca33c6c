using Broker.Streams.Tests.Simulation;

namespace Broker.Streams.Tests.Store;

public sealed class StoreTests
{
    private readonly SimulatedDisk _disk = new();

    [Fact]
    public void Messages_are_read_with_all_their_parts()
    {
        using StreamStore store = Open();
        StoredStream stream = store.Add("orders");
        store.Append(stream, "first", "second");
        var buffer = new MessageBuffer();

        Assert.Equal(ReadStatus.Found, store.Read(stream, 2, buffer));
        Assert.Equal("s"u8, buffer.Subject);
        Assert.Equal("h"u8, buffer.Headers);
        Assert.Equal("second"u8, buffer.Body);
        Assert.Equal(2UL, buffer.Sequence);
        Assert.Equal(ReadStatus.NotFound, store.Read(stream, 3, buffer));
    }

    [Fact]
    public void A_stream_survives_a_restart_with_its_limits_and_configuration()
    {
        var limits = new StreamLimits { MaxMessages = 2, MaxBytes = 10_000, MaxAge = TimeSpan.FromHours(1), MaxPerSubject = 7 };
        using (StreamStore store = Open())
        {
            store.Append(store.Add("orders", limits), "1", "2", "3");
        }

        using StreamStore again = Open();

        Assert.True(again.Recovery.IsClean);
        Assert.Equal(limits, again.Find("orders")!.Limits);
        Assert.Equal("configuration"u8, again.Find("orders")!.Configuration);
        Assert.Equal([(2, "s 2"), (3, "s 3")], again.All("orders"));
    }

    [Fact]
    public void A_message_is_acknowledged_after_the_sync_of_its_group_and_not_before()
    {
        using StreamStore store = Open();
        StoredStream stream = store.Add("orders");
        var acks = new Acks();
        int syncs = _disk.Syncs;
        store.Queue(stream, "1", completion: acks, token: 7);
        store.Queue(stream, "2", completion: acks, token: 8);

        Assert.Empty(acks.All);
        Assert.Empty(store.All("orders"));
        store.Commit();

        Assert.Equal([(7, 1, StoreOutcome.Stored), (8, 2, StoreOutcome.Stored)], acks.All);
        Assert.Equal(syncs + 1, _disk.Syncs);
    }

    [Fact]
    public void One_sync_serves_a_thousand_streams()
    {
        using var store = StreamStore.Open(_disk, StoreExtensions.Small(4 * 1024 * 1024, 1024 * 1024));
        for (int i = 0; i < 1000; i++)
        {
            store.Create($"stream {i}", default, []);
        }

        store.Commit();
        int syncs = _disk.Syncs;
        foreach (StoredStream stream in store.Streams())
        {
            store.Queue(stream, "message");
        }

        store.Commit();

        Assert.Equal(1000, store.Streams().Length);
        Assert.All(store.Streams(), stream => Assert.Equal(1, stream.Messages));
        Assert.Equal(syncs + 1, _disk.Syncs);
    }

    [Fact]
    public async Task Messages_collect_while_a_sync_runs_and_share_the_next_one()
    {
        using var store = StreamStore.Open(_disk, new StoreOptions { SegmentBytes = 64 * 1024, MaxPendingBytes = 16 * 1024 });
        var acks = new Acks();
        store.Create("orders", default, [], acks);
        await Wait.UntilAsync(() => acks.All.Count == 1);
        StoredStream stream = store.Find("orders")!;
        using var goOn = new ManualResetEventSlim();
        int writes = 0;
        _disk.Before = what =>
        {
            if (what == "write log" && Interlocked.Increment(ref writes) == 1)
            {
                goOn.Wait(TestContext.Current.CancellationToken);
            }
        };
        store.Queue(stream, "first", completion: acks);
        await Wait.UntilAsync(() => Volatile.Read(ref writes) == 1);
        for (int i = 0; i < 100; i++)
        {
            store.Queue(stream, "more", completion: acks);
        }

        Assert.Single(acks.All);
        goOn.Set();
        await Wait.UntilAsync(() => acks.All.Count == 102);

        Assert.Equal(2, writes);
        Assert.Equal(Enumerable.Range(1, 101).Select(static i => (ulong)i), acks.All.Skip(1).Select(static ack => ack.Sequence));
    }

    [Fact]
    public void A_full_queue_refuses_and_accepts_again_after_the_group()
    {
        using StreamStore store = Open();
        StoredStream stream = store.Add("orders");
        int queued = 0;
        while (store.Queue(stream, new string('x', 100)) == QueueStatus.Queued)
        {
            queued++;
        }

        Assert.Equal(QueueStatus.Full, store.Queue(stream, new string('x', 100)));
        Assert.Equal(QueueStatus.TooLarge, store.Queue(stream, new string('x', 2000)));
        store.Commit();

        Assert.InRange(queued, 5, 8);
        Assert.Equal(QueueStatus.Queued, store.Queue(stream, "x"));
        Assert.Equal(queued, store.All("orders").Length);
    }

    [Fact]
    public void Unused_segments_are_deleted_without_rewriting_and_no_sequence_is_used_again()
    {
        using (StreamStore store = Open())
        {
            StoredStream stream = store.Add("few", new StreamLimits { MaxMessages = 3 });
            for (int i = 0; i < 500; i++)
            {
                store.Append(stream, new string('x', 100));
            }

            store.Purge(stream, 501);
            Assert.Empty(store.All("few"));
            Assert.InRange(_disk.Files.Count(static file => file.Key.EndsWith(".log", StringComparison.Ordinal)), 1, 2);
        }

        using StreamStore again = Open();
        StoredStream few = again.Find("few")!;
        Assert.Equal((500UL, 501UL), (few.Last, few.First));
        again.Append(few, "new");
        Assert.Equal([(501, "s new")], again.All("few"));
    }

    [Fact]
    public void Deleted_and_expired_messages_stay_away_even_if_the_clock_is_set_back()
    {
        var clock = new SetClock();
        using (var store = StreamStore.Open(_disk, With(clock)))
        {
            StoredStream stream = store.Add("orders", new StreamLimits { MaxAge = TimeSpan.FromMinutes(1) });
            store.Append(stream, "1", "2", "3", "4");
            store.Delete(stream, 3);
            clock.Now += TimeSpan.FromMinutes(2);
            store.Append(stream, "5", "6");
            store.Delete(stream, 6);
            store.Expire();
            store.Commit();
            Assert.Equal([(5, "s 5")], store.All("orders"));
        }

        clock.Now -= TimeSpan.FromHours(1);
        using var again = StreamStore.Open(_disk, With(clock));
        again.Expire();

        Assert.Equal([(5, "s 5")], again.All("orders"));
        Assert.Equal(6UL, again.Find("orders")!.Last);
    }

    [Fact]
    public void The_last_messages_of_each_subject_are_kept()
    {
        using (StreamStore store = Open())
        {
            StoredStream stream = store.Add("values", new StreamLimits { MaxPerSubject = 1 });
            for (int i = 0; i < 40; i++)
            {
                store.Queue(stream, $"{i}", subject: $"key{i % 3}");
                store.Commit();
            }
        }

        using StreamStore again = Open();

        Assert.Equal([(38, "key1 37"), (39, "key2 38"), (40, "key0 39")], again.All("values"));
    }

    [Fact]
    public void A_deleted_stream_is_gone_and_its_name_can_be_used_again()
    {
        using (StreamStore store = Open())
        {
            StoredStream stream = store.Add("orders");
            store.Append(stream, "1");
            Assert.Equal(QueueStatus.Refused, store.Create("orders", default, []));
            using (StoreBatch batch = store.Begin())
            {
                batch.DeleteStream(stream);
            }

            store.Commit();
            Assert.Null(store.Find("orders"));
            Assert.Equal(QueueStatus.Refused, store.Queue(stream, "2"));
            store.Append(store.Add("orders"), "other");
        }

        using StreamStore again = Open();

        Assert.Equal([(1, "s other")], again.All("orders"));
    }

    [Fact]
    public void New_limits_apply_at_once_and_after_a_restart()
    {
        using (StreamStore store = Open())
        {
            StoredStream stream = store.Add("orders");
            store.Append(stream, "1", "2", "3");
            Assert.Equal(QueueStatus.Queued, store.Update(stream, new StreamLimits { MaxMessages = 1 }, "new"u8));
            store.Commit();
            Assert.Equal([(3, "s 3")], store.All("orders"));
        }

        using StreamStore again = Open();

        Assert.Equal("new"u8, again.Find("orders")!.Configuration);
        Assert.Equal([(3, "s 3")], again.All("orders"));
    }

    [Fact]
    public void A_queued_message_allocates_nothing()
    {
        using var store = StreamStore.Open(_disk, StoreExtensions.Small(4 * 1024 * 1024, 1024 * 1024));
        StoredStream stream = store.Add("orders");
        var counter = new Counter();
        byte[] body = new byte[100];
        Queue(store, stream, counter, body, 2000);
        store.Commit();
        Queue(store, stream, counter, body, 2000);
        store.Commit();

        long allocated = Allocations.Of(() =>
        {
            Queue(store, stream, counter, body, 100);
        });

        Assert.Equal(0, allocated);
        store.Commit();
        Assert.InRange(counter.Count, 4100, 4500);
    }

    private static void Queue(StreamStore store, StoredStream stream, Counter counter, byte[] body, int count)
    {
        using StoreBatch batch = store.Begin();
        for (int i = 0; i < count; i++)
        {
            if (batch.Append(stream, "subject"u8, [], body, counter) != QueueStatus.Queued)
            {
                throw new InvalidOperationException("The queue is full.");
            }
        }
    }

    private static StoreOptions With(TimeProvider clock) => new() { SegmentBytes = 4096, MaxPendingBytes = 1024, HasThread = false, Clock = clock };

    private StreamStore Open() => StreamStore.Open(_disk, StoreExtensions.Small());

    private sealed class Counter : IStoreCompletion
    {
        public int Count { get; private set; }

        public void OnStored(long token, ulong sequence, StoreOutcome outcome) => Count++;
    }
}
