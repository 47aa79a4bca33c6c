namespace Broker.Streams;

internal enum StoreOutcome
{
    /// <summary>The record is on the disk.</summary>
    Stored,

    /// <summary>The disk has no space for another segment. Nothing was written.</summary>
    NoSpace,

    /// <summary>
    /// A write or sync failed. It is not known whether the record is on the disk. The store stops writing.
    /// </summary>
    Failed,
}
