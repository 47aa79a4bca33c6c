namespace Broker.Streams;

/// <summary>Repairs a store: every whole record is kept, and nothing else.</summary>
internal static class StoreRepair
{
    // So many records of 40 bytes fit into a group.
    private const int StreamsOfGroup = 1000;

    /// <summary>Repairs a store whose lock the caller holds. After a crash, it can be repeated.</summary>
    /// <returns>The findings before the repair. The streams are those after it.</returns>
    internal static StoreReport Run(
        IStoreFiles files, string account, StoreOptions options, IProgress<MaintenanceProgress>? progress = null, CancellationToken stop = default)
    {
        StoreReport report = StoreCheck.Run(files, account, new SegmentReplacement(files, options.Salt), progress, stop);
        if (StoreDirectory.HasDamagedIdentity(files))
        {
            StoreDirectory.Create(files);
        }

        using var store = StreamStore.Open(new LockedFiles(files), options);
        if (store.Recovery.Damage.Count > 0)
        {
            throw new StoreException($"The repair of '{files.Location}' has left damage: {store.Recovery.Damage[0]}");
        }

        foreach (StoredStream[] streams in store.Streams().Where(static stream => stream.Damage is not null).Chunk(StreamsOfGroup))
        {
            foreach (StoredStream stream in streams)
            {
                store.Queue.EndDamage(stream);
            }

            while (store.Commit())
            {
            }
        }

        return store.Failure is { } failure ? throw new StoreException($"The repair of '{files.Location}' could not be written: {failure.Message}", failure) : report;
    }
}
