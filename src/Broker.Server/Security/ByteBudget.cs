namespace Broker.Server;

/// <summary>
/// A limit on memory that is used for all clients of one server together. Each client may use as much as is still free,
/// so each gets less if many clients need much. Thread-safe.
/// </summary>
internal sealed class ByteBudget(long most)
{
    private long _held;

    /// <summary>The number of bytes in use.</summary>
    internal long Held => Interlocked.Read(ref _held);

    internal long Free => Math.Max(0, most - Held);

    /// <summary>Counts bytes even if they exceed the limit. A negative number releases bytes.</summary>
    internal void Add(long bytes) => Interlocked.Add(ref _held, bytes);

    /// <summary>Counts bytes if so many are free, and returns false otherwise.</summary>
    internal bool TryAdd(long bytes)
    {
        if (Interlocked.Add(ref _held, bytes) <= most)
        {
            return true;
        }

        Add(-bytes);
        return false;
    }
}
