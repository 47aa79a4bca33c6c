using System.Collections.Concurrent;

namespace Broker.Cli.Terminal;

/// <summary>
/// Writes on a thread of its own, so that a full pipe or a slow disk holds neither a thread that serves clients nor one that
/// stops them. When 4096 items wait, further ones are counted instead of kept.
/// </summary>
/// <typeparam name="T">A line, or what to do with one.</typeparam>
internal sealed class OutputQueue<T> : IDisposable
{
    private const int MaxWaiting = 4096;

    // At the end: as long as something is still being written, and no longer than so often.
    private const int MostPatience = 5;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(1);

    private readonly BlockingCollection<T> _items = new(MaxWaiting);
    private readonly Action<T> _write;
    private readonly Func<long, T> _late;
    private readonly Action _end;
    private readonly Thread _thread;
    private long _overflow;

    /// <param name="write">Writes one item, on the thread of the queue. It throws nothing.</param>
    /// <param name="late">Says that so many items were not kept.</param>
    /// <param name="end">Called last on the thread of the queue. It throws nothing.</param>
    public OutputQueue(Action<T> write, Func<long, T> late, Action end)
    {
        _write = write;
        _late = late;
        _end = end;
        _thread = new Thread(Run) { IsBackground = true, Name = "output" };
        _thread.Start();
    }

    /// <summary>Queues an item, at once. Any thread; after <see cref="Dispose"/> it is ignored.</summary>
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
            // A thread that still winds down may log after the end.
        }
    }

    /// <summary>Writes what waits, for a few seconds at most and not while the output stalls, and ends the thread.</summary>
    public void Dispose()
    {
        _items.CompleteAdding();
        int before = int.MaxValue;
        for (int i = 0; i < MostPatience && !_thread.Join(Patience) && _items.Count < before; i++)
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
