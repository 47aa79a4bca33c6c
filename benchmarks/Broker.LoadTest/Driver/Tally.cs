using System.Diagnostics;

namespace Broker.LoadTest.Driver;

/// <summary>
/// Counts the bytes that all drains of a measurement have received. It stops the clock at the last expected byte.
/// </summary>
internal sealed class Tally(long expected) : IDisposable
{
    private readonly ManualResetEventSlim _over = new();
    private long _bytes;
    private long _reachedAt;

    /// <summary>Whether the server has closed a subscriber's connection.</summary>
    public bool WasCut { get; private set; }

    /// <summary>The number of received bytes. Thread-safe.</summary>
    public long Bytes => Interlocked.Read(ref _bytes);

    /// <summary>Whether all bytes have arrived, or the rest will not arrive.</summary>
    public bool IsOver => _over.IsSet;

    /// <summary>The time when the last expected byte was received, in <see cref="Stopwatch"/> ticks.</summary>
    public long ReachedAt => Volatile.Read(ref _reachedAt);

    public void Add(int bytes)
    {
        if (Interlocked.Add(ref _bytes, bytes) >= expected && ReachedAt == 0)
        {
            Interlocked.CompareExchange(ref _reachedAt, Stopwatch.GetTimestamp(), 0);
            _over.Set();
        }
    }

    /// <summary>
    /// Ends the wait because a connection was closed or a worker failed, so the remaining bytes will not arrive.
    /// </summary>
    public void GiveUp(bool cut)
    {
        WasCut |= cut;
        _over.Set();
    }

    public void Wait() => _over.Wait();

    public void Dispose() => _over.Dispose();
}
