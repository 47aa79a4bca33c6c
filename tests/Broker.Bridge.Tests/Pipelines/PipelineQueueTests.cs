namespace Broker.Bridge.Tests.Pipelines;

/// <summary>The queue of messages in pooled memory.</summary>
public sealed class PipelineQueueTests
{
    [Fact]
    public void It_is_a_queue_with_a_place_up_to_which_it_was_sent()
    {
        int seed = Seed.Next();
        var random = new Random(seed);
        var pool = new PipelineMemoryPool();
        var queue = new PipelineQueue(pool);
        List<(byte[] Body, MessageShape Shape)> model = [];
        int sent = 0;
        for (int step = 0; step < 50_000; step++)
        {
            switch (random.Next(8))
            {
                case < 3:
                    byte[] body = new byte[random.Next(100) == 0 ? random.Next(100_000) : random.Next(2000)];
                    random.NextBytes(body);
                    var shape = new MessageShape(random.Next(5), random.Next(2) == 0);
                    queue.Add(body, shape);
                    model.Add((body, shape));
                    break;
                case < 5 when sent < model.Count:
                    Assert.True(queue.PeekUnsent(out MessageShape unsent).SequenceEqual(model[sent].Body), $"seed {seed}");
                    Assert.Equal(model[sent].Shape, unsent);
                    queue.MarkSent();
                    sent++;
                    break;
                case < 7 when model.Count > 0:
                    Assert.True(queue.Peek(out MessageShape first).SequenceEqual(model[0].Body), $"seed {seed}");
                    Assert.Equal(model[0].Shape, first);
                    queue.RemoveFirst();
                    model.RemoveAt(0);
                    sent = Math.Max(0, sent - 1);
                    break;
                case 7 when random.Next(20) == 0:
                    sent = random.Next(sent + 1);
                    queue.Rewind(sent);
                    break;
            }

            Assert.Equal(model.Count, queue.Count);
            Assert.Equal(sent, queue.Sent);
            Assert.Equal(model.Sum(m => (long)m.Body.Length), queue.Bytes);
        }

        queue.Clear();
        Assert.Equal(0, pool.Outstanding);
    }
}
