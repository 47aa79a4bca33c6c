namespace Broker.Streams;

/// <summary>
/// Whether a store has accepted a record. The record is on the disk only when its completion says so.
/// </summary>
internal enum QueueStatus
{
    Queued,

    /// <summary>As many bytes as allowed wait for a sync already.</summary>
    Full,

    /// <summary>The record is larger than a group may be.</summary>
    TooLarge,

    /// <summary>The stream is damaged.</summary>
    Damaged,

    /// <summary>A write or sync has failed before, or the store is closed.</summary>
    Stopped,

    /// <summary>A stream of this name exists already, or no longer exists.</summary>
    Refused,
}
