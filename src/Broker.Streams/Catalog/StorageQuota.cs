namespace Broker.Streams;

/// <summary>
/// A limit on the bytes of the messages of several stores together, and on the bytes that their streams may use by their
/// own limits. Thread-safe.
/// </summary>
/// <param name="limit">The limit in bytes.</param>
/// <param name="refusal">The error of a message that exceeds the limit.</param>
/// <param name="parent">A wider limit that applies too; null for none.</param>
internal sealed class StorageQuota(long limit, ApiError refusal, StorageQuota? parent = null)
{
    private long _used;
    private long _reserved;

    internal long Limit => limit;

    /// <summary>
    /// Returns the error of a message of this size; null if it may be stored. Accounts that ask at the same time may
    /// exceed the limit a little.
    /// </summary>
    internal ApiError? Refuse(long size)
        => parent?.Refuse(size) ?? (Volatile.Read(ref _used) + size > limit ? refusal : null);

    /// <summary>Whether a stream may use so many more bytes by its own limit.</summary>
    internal bool CanReserve(long bytes) => Volatile.Read(ref _reserved) <= limit - bytes && parent?.CanReserve(bytes) != false;

    internal void Add(long bytes)
    {
        Interlocked.Add(ref _used, bytes);
        parent?.Add(bytes);
    }

    /// <summary>Counts the bytes that a stream may use by its own limit.</summary>
    internal void Reserve(long bytes)
    {
        Interlocked.Add(ref _reserved, bytes);
        parent?.Reserve(bytes);
    }
}
