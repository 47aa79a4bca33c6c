using System.Diagnostics;

namespace Broker.LoadTest.Driver;

/// <summary>The bytes that all drains of a measurement have received; it stops the clock when the last one is there.</summary>
internal sealed class Tally(long expected) : IDisposable
{
    private readonly ManualResetEventSlim _over = new();
    private long _bytes;
    private long _reachedAt;

    /// <summary>The server closed a subscriber's connection.</summary>
    public bool WasCut { get; private set; }

    /// <summary>Bytes so far; any thread may look.</summary>
    public long Bytes => Interlocked.Read(ref _bytes);

    /// <summary>When the last expected byte was received, in <see cref="Stopwatch"/> ticks.</summary>
    public long ReachedAt => Volatile.Read(ref _reachedAt);

    public void Add(int bytes)
    {
        if (Interlocked.Add(ref _bytes, bytes) >= expected && ReachedAt == 0)
        {
            Interlocked.CompareExchange(ref _reachedAt, Stopwatch.GetTimestamp(), 0);
            _over.Set();
        }
    }

    /// <summary>Ends the waiting: a connection was cut or a worker failed, and the rest will not come.</summary>
    public void GiveUp(bool cut)
    {
        WasCut |= cut;
        _over.Set();
    }

    public void Wait() => _over.Wait();

    public void Dispose() => _over.Dispose();
}
