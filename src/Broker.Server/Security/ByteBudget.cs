namespace Broker.Server;

/// <summary>
/// A limit on memory that is used for all clients of one server together. A client may use all memory that is still
/// free, so it gets less if other clients need much. Thread-safe.
/// </summary>
internal sealed class ByteBudget(long max)
{
    private long _used;

    /// <summary>The number of bytes in use.</summary>
    internal long Used => Interlocked.Read(ref _used);

    internal long Free => Math.Max(0, max - Used);

    /// <summary>Counts bytes even if they exceed the limit. A negative number releases bytes.</summary>
    internal void Add(long bytes) => Interlocked.Add(ref _used, bytes);

    /// <summary>Counts bytes if enough bytes are free. Otherwise counts nothing and returns false.</summary>
    internal bool TryAdd(long bytes)
    {
        if (Interlocked.Add(ref _used, bytes) <= max)
        {
            return true;
        }

        Add(-bytes);
        return false;
    }
}
