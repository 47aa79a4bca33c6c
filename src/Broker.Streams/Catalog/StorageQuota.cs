namespace Broker.Streams;

/// <summary>A limit on the bytes of the messages of several stores together. Thread-safe.</summary>
/// <param name="limit">The limit in bytes.</param>
/// <param name="refusal">The error of a message that exceeds the limit.</param>
internal sealed class StorageQuota(long limit, string refusal)
{
    private long _used;

    internal long Limit => limit;

    /// <summary>The error of a message that exceeds the limit.</summary>
    internal string Refusal => refusal;

    /// <summary>Whether a message of this size may be stored. Accounts that ask at the same time may exceed the limit a little.</summary>
    internal bool Allows(long size) => Volatile.Read(ref _used) + size <= limit;

    internal void Add(long bytes) => Interlocked.Add(ref _used, bytes);
}
