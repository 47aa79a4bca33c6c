using System.Collections.Concurrent;

namespace Broker.Benchmarks.Threads;

/// <summary>A ConcurrentQueue.</summary>
internal readonly struct SharedQueue() : IThreadQueue
{
    private readonly ConcurrentQueue<object> _queue = new();

    public void Post(object item) => _queue.Enqueue(item);

    public int Drain()
    {
        int count = 0;
        while (_queue.TryDequeue(out object? item))
        {
            count += item is null ? 0 : 1;
        }

        return count;
    }
}
