using Broker.Transport.Buffers;
using Broker.Transport.Outbound;

namespace Broker.Transport.Tests.Outbound;

/// <summary>Tests that a queue without droppable messages is not scanned again and again.</summary>
public sealed class VainWalkTests
{
    private const int Size = 10;

    private static readonly Pieced s_framing = new();

    private static OutboundCount Drop(OutboundQueue queue, long bytes, bool isOut = false)
        => queue.Drop(bytes, fixedBytes: 0, firstIsBeingSent: false, isOut, s_framing, null);

    private static void Add(OutboundQueue queue, SharedBlockPool depot, char kind, int count)
    {
        Block block = depot.Rent(count * Size);
        block.Array.AsSpan(0, count * Size).Fill((byte)kind);
        block.End = count * Size;
        queue.Add(new FlushedBlocks(block, block, block.End, 0), null);
    }

    [Fact]
    public void A_queue_of_answers_is_walked_through_again_when_it_has_grown_by_what_is_wanted()
    {
        var depot = new SharedBlockPool();
        var queue = new OutboundQueue(depot);
        Add(queue, depot, 'a', 1_000);
        for (int i = 0; i < 100; i++)
        {
            Assert.Equal(default, Drop(queue, 50 * Size));
        }

        Assert.Equal(1, queue.Scans);
        Add(queue, depot, 'a', 49);
        Assert.Equal(default, Drop(queue, 50 * Size));
        Assert.Equal(1, queue.Scans);
        Add(queue, depot, 'm', 100);
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
    public void One_of_which_something_was_sent_is_walked_through_again()
    {
        var depot = new SharedBlockPool();
        var queue = new OutboundQueue(depot);
        Add(queue, depot, 'a', 1_000);
        for (int i = 1; i <= 10; i++)
        {
            Drop(queue, 50 * Size);
            Drop(queue, 50 * Size);
            Assert.Equal(i, queue.Scans);
            queue.Consume(Size, null!);
        }
    }

    [Fact]
    public void One_whose_front_a_sender_has_says_nothing_of_the_rest()
    {
        var depot = new SharedBlockPool();
        var queue = new OutboundQueue(depot);
        Add(queue, depot, 'm', 100);
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
