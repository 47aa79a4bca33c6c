using System.Collections.Concurrent;

namespace Broker.Server;

/// <summary>
/// Runs requests one after another on the thread pool, so that requests take at most one processor. Thread-safe.
/// </summary>
internal sealed class RequestQueue
{
    private const int MaxPending = 256;

    private readonly ConcurrentQueue<Func<Task>> _work = new();
    private int _count;

    /// <summary>Adds a request. Returns false if too many requests wait already.</summary>
    /// <param name="work">A function that answers the request. It must not throw.</param>
    internal bool TryAdd(Func<Task> work)
    {
        int count;
        do
        {
            // A refused request must not be counted, because the thread that runs requests waits for every counted
            // request.
            count = Volatile.Read(ref _count);
            if (count == MaxPending)
            {
                return false;
            }
        }
        while (Interlocked.CompareExchange(ref _count, count + 1, count) != count);

        _work.Enqueue(work);
        if (count == 0)
        {
            ThreadPool.UnsafeQueueUserWorkItem(static queue => _ = queue.RunAsync(), this, preferLocal: false);
        }

        return true;
    }

    // The count is reduced only after a request has run, so only one thread-pool thread at a time runs requests.
    private async Task RunAsync()
    {
        do
        {
            Func<Task>? work;
            // A request is counted before it is in the queue, so the queue may be empty for a moment.
            while (!_work.TryDequeue(out work))
            {
                await Task.Yield();
            }

            await work().ConfigureAwait(false);
        }
        while (Interlocked.Decrement(ref _count) != 0);
    }
}
