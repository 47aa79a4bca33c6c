using Broker.Streams.Tests.Simulation;

namespace Broker.Streams.Tests.Store;

public sealed class FaultTests
{
    private readonly SimulatedDisk _disk = new();

    [Theory]
    [InlineData("sync log")]
    [InlineData("write log")]
    public void After_a_failed_write_or_sync_nothing_is_acknowledged_and_nothing_more_is_written(string operation)
    {
        using StreamStore store = Open();
        StoredStream stream = store.Add("orders");
        store.Append(stream, "1");
        var acks = new Acks();
        _disk.Fails = what => what == operation;
        store.Queue(stream, "2", completion: acks);
        store.Commit();
        _disk.Fails = static _ => false;

        Assert.Equal(StoreOutcome.Failed, Assert.Single(acks.All).Outcome);
        Assert.Equal(QueueStatus.Stopped, store.Queue(stream, "3"));
        Assert.NotNull(store.Failure);
        Assert.Equal([(1, "s 1")], store.All("orders"));
    }

    [Fact]
    public void A_full_disk_refuses_messages_until_there_is_space_again()
    {
        using StreamStore store = Open();
        StoredStream stream = store.Add("orders");
        var acks = new Acks();
        _disk.Fails = static what => what == "write tmp";
        while (acks.All.All(static ack => ack.Outcome == StoreOutcome.Stored))
        {
            store.Queue(stream, new string('x', 100), completion: acks);
            store.Commit();
        }

        int stored = acks.All.Count - 1;
        Assert.Equal(StoreOutcome.NoSpace, acks.All[^1].Outcome);
        Assert.Equal(stored, store.All("orders").Length);
        _disk.Fails = static _ => false;
        store.Append(stream, "more");
        (ulong Sequence, string Text)[] all = store.All("orders");
        store.Dispose();

        using StreamStore again = Open();

        Assert.Null(again.Failure);
        Assert.Equal(stored + 1, all.Length);
        Assert.Equal(all, again.All("orders"));
    }

    [Fact]
    public void An_unfinished_write_is_cut_and_reported_and_its_sequences_are_not_used_again()
    {
        StreamStore store = Open();
        StoredStream stream = store.Add("orders");
        store.Append(stream, "1", "2");
        byte[] content = _disk.Files.Single(static file => file.Key.EndsWith(".log", StringComparison.Ordinal)).Value.Current;
        int last = content.AsSpan().LastIndexOfAnyExcept((byte)0);
        content[last] ^= 1;
        _disk.EndProcess();

        using StreamStore again = Open();

        Assert.InRange(again.Recovery.CutBytes, RecordHead.Length, 100);
        Assert.Empty(again.Recovery.Damage);
        Assert.Equal([(1, "s 1")], again.All("orders"));
        again.Append(again.Find("orders")!, "3");
        Assert.Equal((3UL, "s 3"), again.All("orders")[^1]);
    }

    [Fact]
    public void A_damaged_index_is_made_again()
    {
        (ulong, string)[] all;
        using (StreamStore store = Open())
        {
            StoredStream stream = store.Add("orders");
            for (int i = 0; i < 60; i++)
            {
                store.Append(stream, new string('x', 100));
            }

            all = store.All("orders");
        }

        foreach (SimulatedFile index in _disk.Files.Where(static file => file.Key.EndsWith(".idx", StringComparison.Ordinal)).Select(static file => file.Value))
        {
            index.Current[^1] ^= 1;
        }

        using (StreamStore store = Open())
        {
            Assert.NotEmpty(store.Recovery.Notices);
            Assert.Equal(all, store.All("orders"));
        }

        using StreamStore again = Open();
        Assert.True(again.Recovery.IsClean);
    }

    private StreamStore Open() => StreamStore.Open(_disk, StoreExtensions.Small());
}
