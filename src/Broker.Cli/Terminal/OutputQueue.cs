using System.Collections.Concurrent;

namespace Broker.Cli.Terminal;

/// <summary>
/// Writes items on its own thread, so that a full pipe or a slow disk cannot block the threads that serve or stop. It
/// queues at most 4096 items; further items are dropped and counted.
/// </summary>
/// <typeparam name="T">The type of the items: a line, or a line with its kind.</typeparam>
internal sealed class OutputQueue<T> : IDisposable
{
    private const int MaxWaiting = 4096;

    // Dispose waits for this number of intervals at most, and only while the thread still writes items.
    private const int MaxWaits = 5;

    private static readonly TimeSpan WaitInterval = TimeSpan.FromSeconds(1);

    private readonly BlockingCollection<T> _items = new(MaxWaiting);
    private readonly Action<T> _write;
    private readonly Func<long, T> _late;
    private readonly Action _end;
    private readonly Thread _thread;
    private long _overflow;

    /// <param name="write">Writes one item on the queue's thread. It must not throw.</param>
    /// <param name="late">Creates an item about the given number of dropped items.</param>
    /// <param name="end">Runs on the queue's thread after the last item. It must not throw.</param>
    public OutputQueue(Action<T> write, Func<long, T> late, Action end)
    {
        _write = write;
        _late = late;
        _end = end;
        _thread = new Thread(Run) { IsBackground = true, Name = "output" };
        _thread.Start();
    }

    /// <summary>
    /// Queues an item without blocking. Can be called on any thread. After <see cref="Dispose"/>, items are ignored.
    /// </summary>
    public void Add(T item)
    {
        try
        {
            if (!_items.TryAdd(item))
            {
                Interlocked.Increment(ref _overflow);
            }
        }
        catch (InvalidOperationException)
        {
            // Another thread may still log after Dispose.
        }
    }

    /// <summary>
    /// Writes the queued items and ends the thread. It gives up after 5 seconds, or when the output makes no progress
    /// for a second.
    /// </summary>
    public void Dispose()
    {
        _items.CompleteAdding();
        int before = int.MaxValue;
        for (int i = 0; i < MaxWaits && !_thread.Join(WaitInterval) && _items.Count < before; i++)
        {
            before = _items.Count;
        }
    }

    private void Run()
    {
        foreach (T item in _items.GetConsumingEnumerable())
        {
            _write(item);
            if (Interlocked.Exchange(ref _overflow, 0) is > 0 and var count)
            {
                _write(_late(count));
            }
        }

        _end();
    }
}
