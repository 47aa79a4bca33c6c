using NetMQ;

namespace Broker.NetMQCases;

internal static class QueueCases
{
    public static void A_queue_is_read_directly(Transcript t)
    {
        using var queue = new NetMQQueue<string>();
        t.Show("empty", queue.IsEmpty);
        t.Show("nothing", queue.TryDequeue(out string? nothing, TimeSpan.Zero));
        t.Show("nothing", nothing);
        queue.Enqueue("a");
        queue.Enqueue("b");
        queue.Enqueue("c");
        t.Show("count", queue.Count);
        t.Show("all", queue);
        t.Show("first", queue.Dequeue());
        t.Show("second", queue.TryDequeue(out string? second, Ports.Soon));
        t.Show("second", second);
        t.Show("third", queue.TryDequeue(out string? third, SendReceiveConstants.InfiniteTimeout));
        t.Show("third", third);
        t.Show("late", queue.TryDequeue(out _, TimeSpan.FromMilliseconds(10)));
        t.Show("empty", queue.IsEmpty);
        t.Show("disposed", queue.IsDisposed);
        t.Try("negative", () => new NetMQQueue<int>(-1).Count);
    }

    public static void A_poller_reads_a_queue(Transcript t)
    {
        const int Each = 5000;
        using var queue = new NetMQQueue<int>();
        using var poller = new NetMQPoller { queue };
        long sum = 0;
        int count = 0;
        bool isSame = true;
        queue.ReceiveReady += (sender, e) =>
        {
            isSame &= ReferenceEquals(sender, queue) && ReferenceEquals(e.Queue, queue);
            sum += e.Queue.Dequeue();
            if (++count == 3 * Each)
            {
                poller.Stop();
            }
        };
        Thread[] writers = [.. Enumerable.Range(0, 3).Select(w => new Thread(() => Write(w)))];
        Array.ForEach(writers, writer => writer.Start());
        poller.Run();
        Array.ForEach(writers, writer => writer.Join());
        t.Show("sum", sum);
        t.Show("count", count);
        t.Show("same", isSame);
        t.Show("left", queue.Count);

        void Write(int writer)
        {
            for (int i = 0; i < Each; i++)
            {
                queue.Enqueue((writer * Each) + i);
            }
        }
    }

    public static void A_queue_keeps_the_order_of_its_writer(Transcript t)
    {
        using var queue = new NetMQQueue<int>(10);
        using var poller = new NetMQPoller { queue };
        var seen = new List<int>();
        void OnReady(object? sender, NetMQQueueEventArgs<int> e)
        {
            while (e.Queue.TryDequeue(out int value, TimeSpan.Zero))
            {
                seen.Add(value);
            }

            if (seen.Count == 100)
            {
                queue.ReceiveReady -= OnReady;
                poller.Stop();
            }
        }

        queue.ReceiveReady += OnReady;
        var writer = new Thread(() =>
        {
            for (int i = 0; i < 100; i++)
            {
                queue.Enqueue(i);
            }
        });
        writer.Start();
        poller.Run();
        writer.Join();
        t.Show("seen", seen);
    }

    public static void A_disposed_queue_is_not_used(Transcript t)
    {
        var queue = new NetMQQueue<int>();
        queue.Enqueue(1);
        queue.Dispose();
        t.Show("disposed", queue.IsDisposed);
        t.Try("again", queue.Dispose);
        using var poller = new NetMQPoller();
        t.Try("poll", () => poller.Add(queue));
    }
}
