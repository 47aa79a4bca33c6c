using System.Collections.Concurrent;

namespace Broker.Cli.Logging;

/// <summary>
/// Writes log lines on a thread of its own, so that a full pipe or a slow disk never holds a thread that serves
/// clients. When 4096 lines wait, further ones are counted instead of kept.
/// </summary>
internal sealed class LogLineWriter : IDisposable
{
    private const int MaxWaiting = 4096;

    private readonly BlockingCollection<string> _lines = new(MaxWaiting);
    private readonly Action<string> _write;
    private readonly Thread _thread;
    private long _lost;

    public LogLineWriter(Action<string> write)
    {
        _write = write;
        _thread = new Thread(Run) { IsBackground = true, Name = "log" };
        _thread.Start();
    }

    /// <summary>Queues a line; after <see cref="Dispose"/> it is ignored.</summary>
    public void Add(string line)
    {
        try
        {
            if (!_lines.TryAdd(line))
                Interlocked.Increment(ref _lost);
        }
        catch (InvalidOperationException)
        {
            // A thread that still winds down may log after the end.
        }
    }

    /// <summary>Writes what waits, for a few seconds at most, and ends the thread.</summary>
    public void Dispose()
    {
        _lines.CompleteAdding();
        _thread.Join(TimeSpan.FromSeconds(5));
    }

    private void Run()
    {
        try
        {
            foreach (var line in _lines.GetConsumingEnumerable())
            {
                _write(line);
                if (Interlocked.Exchange(ref _lost, 0) is > 0 and var lost)
                    _write($"{lost} log lines were not written: they came faster than they could be");
            }
        }
        catch (Exception e) when (e is IOException or ObjectDisposedException)
        {
            // Nobody reads the pipe, or the disk is full: there is no place left to say so, and serving goes on.
            _lines.CompleteAdding();
        }
    }
}
