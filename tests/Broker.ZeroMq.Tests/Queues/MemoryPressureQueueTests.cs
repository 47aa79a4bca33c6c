using Broker.Transport;

namespace Broker.ZeroMq.Tests.Queues;

/// <summary>
/// While memory is short, a queue for threads contains no more than its share. It recovers by itself.
/// </summary>
public sealed class MemoryPressureQueueTests : IDisposable
{
    private const long Limit = 8 << 20;

    // This is the share while the whole limit is in use.
    private const int Share = 16 * 1024;

    private readonly EventLoopGroup _loops = new(new EventLoopOptions { CallerDriven = true, MaxBufferedBytes = Limit });

    private MemoryBudget Budget => _loops.MemoryBudget;

    public void Dispose() => _loops.Dispose();

    [Fact]
    public void A_receive_queue_accepts_its_share_and_resumes_the_peer_when_it_is_received()
    {
        var bench = new Bench(mostMessages: 0, mostBytes: Limit, budget: Budget);
        ReceiveSource source = bench.Source();
        byte[] batch = Bench.Numbers(0, 100, size: 1000);
        Budget.Add(Limit);

        int took = bench.Add(source, batch, 100);
        Assert.InRange(took, Share, Share + 2000);
        Assert.Equal(0, bench.Add(source, batch.AsSpan(took), 1));
        Assert.Equal((1, 0), (bench.Queue.PausedSources, bench.AllResumed.Count));
        Assert.Equal(Limit + bench.Pool.Outstanding, Budget.BufferedBytes);
        int next = 0;
        while (bench.TakeNumber() is >= 0 and var number)
        {
            Assert.Equal(next++, number);
        }

        Assert.Equal((0, 1), (bench.Queue.PausedSources, bench.AllResumed.Count));
        Assert.Equal((0L, Limit), (bench.Pool.Outstanding, Budget.BufferedBytes));
        Budget.Add(-Limit);
        Assert.Equal(batch.Length, bench.Add(source, batch, 100));
    }

    [Fact]
    public void An_empty_receive_queue_accepts_a_message_of_any_size()
    {
        var bench = new Bench(mostMessages: 0, mostBytes: Limit, budget: Budget);
        ReceiveSource source = bench.Source();
        byte[] large = Bench.Numbers(7, 1, size: 1_000_000);
        Budget.Add(2 * Limit);
        for (int i = 0; i < 3; i++)
        {
            Assert.Equal(large.Length, bench.Add(source, large, 1));
            Assert.Equal(0, bench.Add(source, large, 1));
            Assert.Equal(7, bench.TakeNumber());
            Assert.Equal(i + 1, bench.AllResumed.Count);
        }
    }

    [Fact]
    public void A_send_queue_accepts_about_its_share_and_reports_room_when_the_loop_has_taken_it()
    {
        var sender = new Counter();
        var queue = new SendQueue(new MessageChunkPool(Budget), _loops[0], sender, mostMessages: 0, mostBytes: Limit, isOpen: true);
        int rooms = 0;
        queue.OnRoom = () => rooms++;
        byte[] body = new byte[1000];
        Budget.Add(Limit);

        int taken = 0;
        while (queue.Enqueue(new Encoders.OneFrame(body)) == EnqueueResult.Sent)
        {
            taken++;
        }

        // The queue accepts its share and fills the chunk that it had begun.
        Assert.InRange(taken, Share / 1100, (MessageChunkPool.Small + MessageChunkPool.Large) / 1000);
        Assert.False(queue.HasRoom);
        Assert.Equal(0, rooms);
        for (int turns = 0; queue.Waiting > 0; turns++)
        {
            Assert.InRange(turns, 0, 100);
            _loops[0].RunOnce(TimeSpan.Zero);
        }

        Assert.Equal(taken, sender.Count);
        Assert.InRange(rooms, 1, taken);
        Assert.True(queue.HasRoom);
        Assert.Equal(EnqueueResult.Sent, queue.Enqueue(new Encoders.OneFrame(new byte[1_000_000])));
        queue.Drop();
        Assert.Equal(Limit, Budget.BufferedBytes);
    }

    private sealed class Counter : IBatchSender
    {
        public int Count { get; private set; }

        public int Send(ReadOnlySpan<byte> messages, int count, out int sent)
        {
            Count += sent = count;
            return messages.Length;
        }
    }
}
