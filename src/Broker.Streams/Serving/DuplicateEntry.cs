namespace Broker.Streams;

/// <summary>A message id of a stream.</summary>
internal sealed class DuplicateEntry(byte[] id, long time)
{
    internal byte[] Id { get; } = id;

    /// <summary>The time of the message, in ticks of UTC.</summary>
    internal long Time { get; } = time;

    internal ulong Sequence { get; set; }

    /// <summary>Whether the message is on the disk.</summary>
    internal bool IsStored { get; set; }

    /// <summary>The duplicates that wait until the message is on the disk, as a chain; null for none.</summary>
    internal PendingReply? Waiting { get; set; }
}
