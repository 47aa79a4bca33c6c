namespace Broker.Streams;

/// <summary>Receives the outcome of what was queued.</summary>
internal interface IStoreCompletion
{
    /// <summary>
    /// Called on the store's thread before the calls of <see cref="OnStored"/> for a group. A receiver of several stores
    /// is called by several threads at the same time.
    /// </summary>
    void OnReporting()
    {
    }

    /// <summary>
    /// Called on the store's thread after the sync of the group. It must return quickly, and must not throw.
    /// </summary>
    /// <param name="token">The number that was given with the record.</param>
    /// <param name="sequence">
    /// The sequence of the record, or the number of messages that a purge of subjects deleted.
    /// </param>
    /// <param name="outcome">Whether the record is on the disk.</param>
    void OnStored(long token, ulong sequence, StoreOutcome outcome);

    /// <summary>Called on the store's thread after the calls of <see cref="OnStored"/> for a group.</summary>
    void OnReported()
    {
    }
}
