using System.Text;
using Broker.Protocol;

namespace Broker.Client.Tests.Subscriptions;

/// <summary>The guarantees of a subscription's queue while several threads read it.</summary>
public sealed class SubscriptionQueueTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private static void Put(SubscriptionQueue queue, int first, int count, MessageBatch? batch = null)
    {
        var frames = new StringBuilder();
        for (int i = first; i < first + count; i++)
        {
            frames.Append(System.Globalization.CultureInfo.InvariantCulture, $"MSG a 1 6\r\n{i:d6}\r\n");
        }

        var parser = new ServerOperationParser(ParserLimits.Default);
        var handler = new Filler(queue, batch);
        int needed = 0;
        byte[] bytes = Encoding.ASCII.GetBytes(frames.ToString());
        Assert.Equal(bytes.Length, parser.Parse(bytes, ref handler, ref needed, out _));
        batch?.Flush();
    }

    private static int Number(in Message message) => int.Parse(message.Body.Span, System.Globalization.CultureInfo.InvariantCulture);

    [Theory]
    [InlineData(FullQueuePolicy.DropNewest)]
    [InlineData(FullQueuePolicy.DropOldest)]
    public async Task Each_message_is_read_or_dropped_and_counted_once_while_several_read_a_queue_that_is_nearly_always_full(FullQueuePolicy policy)
    {
        const int Messages = 100_000;
        var queue = new SubscriptionQueue(new QueueOptions { MaxMessages = 3, WhenFull = policy });
        Task<List<int>>[] readers = [.. Enumerable.Range(0, 3).Select(_ => Task.Run(
            async () =>
            {
                var got = new List<int>();
                await foreach (Message message in queue.ReadAllAsync(Token))
                {
                    got.Add(Number(in message));
                }

                return got;
            },
            Token))];
        Put(queue, 0, Messages, new MessageBatch());
        queue.End(null);
        List<int>[] all = await Wait.For(Task.WhenAll(readers));
        foreach (List<int> got in all)
        {
            Assert.Equal(got.Order(), got);
        }

        int read = all.Sum(got => got.Count);
        Assert.Equal(read, all.SelectMany(got => got).Distinct().Count());
        QueueStatistics statistics = queue.GetStatistics();
        Assert.Equal(Messages, read + statistics.Dropped);
        Assert.Equal(policy == FullQueuePolicy.DropOldest ? Messages : read, statistics.Queued);
        Assert.InRange(statistics.PeakPending, 1, 3);
    }

    [Fact]
    public void An_idle_queue_releases_the_memory_of_a_burst_and_a_busy_queue_keeps_it()
    {
        const int Burst = 50_000;
        var queue = new SubscriptionQueue(new QueueOptions());
        Put(queue, 0, Burst, new MessageBatch());
        Assert.False(queue.TryRelease());
        Assert.InRange(queue.Capacity, Burst, 4 * Burst);
        TakeAll();
        Assert.InRange(queue.Capacity, Burst, 4 * Burst);

        // Nothing has come since the last check, and the queue is empty.
        Assert.True(queue.TryRelease());
        Assert.Equal(0, queue.Capacity);

        Put(queue, 0, Burst, new MessageBatch());
        TakeAll();
        Assert.False(queue.TryRelease());
        Put(queue, 0, 1, new MessageBatch());
        TakeAll();
        Assert.False(queue.TryRelease());
        Assert.InRange(queue.Capacity, Burst, 4 * Burst);
        Assert.True(queue.TryRelease());
        Assert.Equal(0, queue.Capacity);

        // It works as before, and a queue that has ended and is empty does not wait.
        Put(queue, 0, Burst, new MessageBatch());
        queue.End(null);
        Assert.False(queue.TryRelease());
        TakeAll();
        Assert.True(queue.TryRelease());
        Assert.Equal(0, queue.Capacity);

        void TakeAll()
        {
            int expected = 0;
            while (queue.TryRead(out Message message))
            {
                Assert.Equal(expected++, Number(in message));
            }
        }
    }

    private readonly struct Filler(SubscriptionQueue queue, MessageBatch? batch) : IServerOperationHandler
    {
        public bool OnMessage(in MessageOperation operation)
        {
            queue.Enqueue(new MessageView(in operation, null!), batch);
            return true;
        }

        public bool OnInfo(ReadOnlySpan<byte> json) => false;

        public bool OnPing() => false;

        public bool OnPong() => false;

        public bool OnOk() => false;

        public bool OnError(ReadOnlySpan<byte> text) => false;
    }
}
