namespace Broker.Server.Security;

/// <summary>
/// What may be held for all clients of one server together. Each may have as much as is still free: the more there are that want much
/// the less each gets, and something is left for whoever comes next. Thread-safe.
/// </summary>
internal sealed class ByteBudget(long most)
{
    private long _held;

    /// <summary>Bytes that are held now.</summary>
    internal long Held => Interlocked.Read(ref _held);

    internal long Free => Math.Max(0, most - Held);

    /// <summary>Counts what is held whatever is free; less where it is negative.</summary>
    internal void Add(long bytes) => Interlocked.Add(ref _held, bytes);

    /// <summary>Counts what is to be held, if so much is free.</summary>
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
