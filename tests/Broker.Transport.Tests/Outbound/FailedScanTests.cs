namespace Broker.Transport.Tests.Outbound;

/// <summary>Tests that a queue without droppable messages is not scanned again and again.</summary>
public sealed class FailedScanTests
{
    private const int Size = 10;

    private static readonly Pieced Framing = new();

    private static OutboundCount Drop(OutboundQueue queue, long bytes, bool isOut = false)
        => queue.Drop(bytes, fixedBytes: 0, firstIsBeingSent: false, isOut, Framing, null);

    private static void Add(OutboundQueue queue, SharedBlockPool pool, char kind, int count)
    {
        Block block = pool.Rent(count * Size);
        block.Array.AsSpan(0, count * Size).Fill((byte)kind);
        block.End = count * Size;
        queue.Add(new FlushedBlocks(block, block, block.End, 0), null);
    }

    [Fact]
    public void A_queue_of_replies_is_scanned_again_after_it_has_grown_by_the_wanted_bytes()
    {
        var pool = new SharedBlockPool();
        var queue = new OutboundQueue(pool);
        Add(queue, pool, 'a', 1_000);
        for (int i = 0; i < 100; i++)
        {
            Assert.Equal(default, Drop(queue, 50 * Size));
        }

        Assert.Equal(1, queue.Scans);
        Add(queue, pool, 'a', 49);
        Assert.Equal(default, Drop(queue, 50 * Size));
        Assert.Equal(1, queue.Scans);
        Add(queue, pool, 'm', 100);
        Assert.Equal(new OutboundCount(50, 50 * Size), Drop(queue, 50 * Size));
        Assert.Equal(2, queue.Scans);
        // There were enough messages, and there may be more.
        Assert.Equal(new OutboundCount(50, 50 * Size), Drop(queue, 100 * Size));
        Assert.Equal(3, queue.Scans);
        Assert.Equal(default, Drop(queue, Size));
        Assert.Equal(3, queue.Scans);
        Assert.Equal(1_049 * Size, queue.PendingBytes);
    }

    [Fact]
    public void A_queue_is_scanned_again_after_something_was_sent()
    {
        var pool = new SharedBlockPool();
        var queue = new OutboundQueue(pool);
        Add(queue, pool, 'a', 1_000);
        for (int i = 1; i <= 10; i++)
        {
            Drop(queue, 50 * Size);
            Drop(queue, 50 * Size);
            Assert.Equal(i, queue.Scans);
            queue.Consume(Size, null!);
        }
    }

    [Fact]
    public void A_scan_while_a_sender_has_the_front_of_the_queue_is_not_remembered()
    {
        var pool = new SharedBlockPool();
        var queue = new OutboundQueue(pool);
        Add(queue, pool, 'm', 100);
        BlockChain sent = queue.TakeAll();
        Assert.Equal(default, Drop(queue, 50 * Size, isOut: true));
        queue.PutBack(sent.Head, sent.Tail, default, null);
        Assert.Equal(new OutboundCount(50, 50 * Size), Drop(queue, 50 * Size));
    }

    private sealed class Pieced : IOutboundFraming
    {
        public int Measure(ReadOnlySpan<byte> written, out bool isMessage)
        {
            isMessage = written[0] == 'm';
            return Size;
        }
    }
}
