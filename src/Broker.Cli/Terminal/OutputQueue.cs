using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;

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

    private readonly ConcurrentQueue<T> _items = new();
    // Released once for each item, and once more at the end: a thread that then finds no item ends. A blocking
    // collection would throw an exception at its end, which costs a native program 15 ms.
    private readonly SemaphoreSlim _signal = new(0);
    private readonly Action<T> _write;
    private readonly Func<long, T> _late;
    private readonly Action _end;
    private readonly Thread _thread;
    private long _overflow;
    private int _waiting;
    private volatile bool _isEnded;

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
        if (_isEnded)
        {
            // Another thread may still log after Dispose.
            return;
        }

        if (Interlocked.Increment(ref _waiting) > MaxWaiting)
        {
            Interlocked.Decrement(ref _waiting);
            Interlocked.Increment(ref _overflow);
            return;
        }

        _items.Enqueue(item);
        _signal.Release();
    }

    /// <summary>
    /// Writes the queued items and ends the thread. It gives up after 5 seconds, or when the output makes no progress
    /// for a second.
    /// </summary>
    public void Dispose()
    {
        if (!_isEnded)
        {
            _isEnded = true;
            _signal.Release();
        }

        int before = int.MaxValue;
        for (int i = 0; i < MaxWaits && !_thread.Join(WaitInterval) && Volatile.Read(ref _waiting) < before; i++)
        {
            before = Volatile.Read(ref _waiting);
        }
    }

    private void Run()
    {
        while (TryTake(out T? item))
        {
            _write(item);
            if (Interlocked.Exchange(ref _overflow, 0) is > 0 and var count)
            {
                _write(_late(count));
            }
        }

        _end();
    }

    private bool TryTake([MaybeNullWhen(false)] out T item)
    {
        _signal.Wait();
        if (!_items.TryDequeue(out item))
        {
            return false;
        }

        Interlocked.Decrement(ref _waiting);
        return true;
    }
}
