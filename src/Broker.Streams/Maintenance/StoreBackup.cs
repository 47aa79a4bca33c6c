namespace Broker.Streams;

/// <summary>Writes backups of stopped stores, and restores them.</summary>
internal static class StoreBackup
{
    /// <summary>Copies streams of accounts into a new folder.</summary>
    internal static IReadOnlyList<CopiedStreams> Write(
        IEnumerable<(string Account, IStoreFiles Files)> accounts, string? stream, string folder, IProgress<MaintenanceProgress>? progress, CancellationToken stop)
    {
        if (File.Exists(folder) || (Directory.Exists(folder) && Directory.EnumerateFileSystemEntries(folder).Any()))
        {
            throw new StoreException($"'{folder}' exists already. A backup needs a new folder.");
        }

        try
        {
            List<CopiedStreams> copied = Transfer(accounts, stream, folder, progress, stop);
            foreach ((_, string store) in StoreFolders.In(folder))
            {
                Shrink(new DiskFiles(store));
            }

            BackupManifest.Write(folder, progress);
            return copied;
        }
        catch
        {
            if (Directory.Exists(folder))
            {
                Directory.Delete(folder, recursive: true);
            }

            throw;
        }
    }

    /// <summary>Restores streams of a backup. All of the backup is checked before the first change.</summary>
    internal static IReadOnlyList<CopiedStreams> Restore(
        string folder, string? account, string? stream, string directory, IProgress<MaintenanceProgress>? progress, CancellationToken stop)
    {
        if (!Directory.Exists(folder))
        {
            throw new StoreException($"The folder '{folder}' does not exist.");
        }

        BackupManifest.Check(folder, progress);
        StoreFolders.Check(directory);
        (string Account, IStoreFiles Files)[] accounts =
        [
            .. StoreFolders.In(folder).Where(found => account is null || string.Equals(found.Account, account, StringComparison.Ordinal)).Select(static found => (found.Account, (IStoreFiles)new DiskFiles(found.Folder))),
        ];
        return Transfer(accounts, stream, directory, progress, stop);
    }

    private static List<CopiedStreams> Transfer(
        IEnumerable<(string Account, IStoreFiles Files)> accounts, string? stream, string directory, IProgress<MaintenanceProgress>? progress, CancellationToken stop)
    {
        var all = new List<(string Account, StoreTransfer Transfer)>();
        try
        {
            foreach ((string account, IStoreFiles files) in accounts)
            {
                all.Add((account, new StoreTransfer(account, StoreSource.Open(files, account, progress, stop), stream)));
            }

            (string Account, StoreTransfer Transfer)[] wanted = [.. all.Where(static found => found.Transfer.HasStreams)];
            if (wanted.Length == 0)
            {
                throw new StoreException(stream is null ? "There are no streams to copy." : $"There is no stream '{stream}' to copy.");
            }

            var options = new StoreOptions { HasThread = false };
            foreach ((string account, StoreTransfer transfer) in wanted)
            {
                transfer.Open(new DiskFiles(StoreFolders.Of(directory, account)), options);
            }

            long total = wanted.Sum(static found => found.Transfer.Bytes);
            long done = 0;
            return [.. wanted.Select(found => found.Transfer.Copy(Advance, stop))];

            void Advance(long bytes)
            {
                done += bytes;
                progress?.Report(new MaintenanceProgress(done, total));
            }
        }
        finally
        {
            all.ForEach(static found => found.Transfer.Dispose());
        }
    }

    // Removes the unused rest of the last segment of a store that is closed.
    private static void Shrink(DiskFiles files)
    {
        ulong last = files.List().Select(static name => StoreFileNames.TryParse(name, StoreFileNames.SegmentEnd, out ulong number) ? number : 0).Max();
        using IStoreFile file = files.Open(StoreFileNames.Segment(last));
        byte[] data = file.ReadAll();
        if (SegmentHeader.TryRead(data, out SegmentHeader header, out _))
        {
            using var segment = new Segment(header, files.Open(StoreFileNames.Segment(last)));
            SegmentClosing.Close(files, segment, SegmentScan.Of(data, header).Index);
        }
    }
}
