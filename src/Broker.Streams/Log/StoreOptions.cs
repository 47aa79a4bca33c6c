using System.Security.Cryptography;

namespace Broker.Streams;

internal sealed class StoreOptions
{
    /// <summary>The length of a segment in bytes; at least four times <see cref="MaxPendingBytes" />.</summary>
    internal long SegmentBytes { get; init; } = 64 * 1024 * 1024;

    /// <summary>The most bytes that wait for a sync. When they are used up, the store refuses appends.</summary>
    internal int MaxPendingBytes { get; init; } = 8 * 1024 * 1024;

    /// <summary>The limit on the messages of this store and of others; null for none.</summary>
    internal StorageQuota? Quota { get; init; }

    /// <summary>The limit on the messages of streams in memory; null for none.</summary>
    internal StorageQuota? MemoryQuota { get; init; }

    /// <summary>False: no thread writes, and the owner calls Commit. For tests.</summary>
    internal bool HasThread { get; init; } = true;

    internal TimeProvider Clock { get; init; } = TimeProvider.System;

    /// <summary>
    /// Called when damage of a stream is found after the start, on the thread that reads. It gets the name of the stream.
    /// </summary>
    internal Action<string, StreamDamage> OnDamage { get; init; } = static (_, _) => { };

    /// <summary>Returns the random number that seeds the checksums of a segment.</summary>
    internal Func<uint> Salt { get; init; } = static () => BitConverter.ToUInt32(RandomNumberGenerator.GetBytes(sizeof(uint)));

    /// <summary>The options of a store in memory.</summary>
    internal StoreOptions ForMemory() => new()
    {
        SegmentBytes = SegmentBytes,
        MaxPendingBytes = MaxPendingBytes,
        HasThread = HasThread,
        Clock = Clock,
        Salt = Salt,
        Quota = MemoryQuota,
    };

    internal void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxPendingBytes, 512);
        ArgumentOutOfRangeException.ThrowIfLessThan(SegmentBytes, 4L * MaxPendingBytes);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(SegmentBytes, Array.MaxLength);
    }
}
