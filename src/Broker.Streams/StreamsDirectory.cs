namespace Broker.Streams;

/// <summary>
/// The streams in the directory of a broker that is stopped: verifies, repairs and backs them up. The directory is locked
/// until the object is disposed, so no broker can use it meanwhile.
/// </summary>
/// <example><code>
/// using var directory = StreamsDirectory.Open("data");
/// StoreReport report = directory.Verify(directory.Accounts[0]);
/// </code></example>
public sealed class StreamsDirectory : IDisposable
{
    private readonly SortedDictionary<string, DiskFiles> _accounts = new(StringComparer.Ordinal);
    private readonly List<IDisposable> _locks = [];

    private StreamsDirectory()
    {
    }

    /// <summary>The names of the accounts that have streams.</summary>
    public IReadOnlyList<string> Accounts => [.. _accounts.Keys];

    /// <summary>Opens and locks the directory of a broker's streams.</summary>
    /// <param name="directory">The directory that the broker uses: <c>store_dir</c> or <c>-sd</c>.</param>
    /// <exception cref="StoreException">
    /// The directory does not exist or has no streams, a process uses it, or another program or a newer version has
    /// written it. Nothing in it has been changed.
    /// </exception>
    public static StreamsDirectory Open(string directory)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(directory);
        var opened = new StreamsDirectory();
        try
        {
            opened.Find(Path.GetFullPath(directory));
            return opened;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            opened.Dispose();
            throw new StoreException($"The directory '{directory}' cannot be read: {e.Message}", e);
        }
        catch
        {
            opened.Dispose();
            throw;
        }
    }

    /// <summary>Reads every record of an account's streams. Changes nothing.</summary>
    /// <param name="account">One of <see cref="Accounts"/>.</param>
    /// <param name="progress">Receives how far it is, on the calling thread; null for nobody.</param>
    /// <param name="cancellationToken">Ends the verification.</param>
    /// <exception cref="StoreException">There is no such account, or a file cannot be read.</exception>
    public StoreReport Verify(string account, IProgress<MaintenanceProgress>? progress = null, CancellationToken cancellationToken = default)
        => Run(account, "read", files => StoreCheck.Run(files, account, replacement: null, progress, cancellationToken));

    /// <summary>
    /// Repairs an account's streams: every whole record is kept, and the damaged ones are removed. No sequence is used
    /// again. If it is interrupted, it can be repeated.
    /// </summary>
    /// <param name="account">One of <see cref="Accounts"/>.</param>
    /// <param name="progress">Receives how far it is, on the calling thread; null for nobody.</param>
    /// <param name="cancellationToken">Ends the repair after the current file.</param>
    /// <returns>The findings before the repair, and the streams after it.</returns>
    /// <exception cref="StoreException">There is no such account, or a file cannot be read or written.</exception>
    public StoreReport Repair(string account, IProgress<MaintenanceProgress>? progress = null, CancellationToken cancellationToken = default)
        => Run(account, "written", files => StoreRepair.Run(files, account, new StoreOptions { HasThread = false }, progress, cancellationToken));

    /// <summary>
    /// Writes streams into a new folder, with the sequences and times of messages and with the progress of consumers. The
    /// folder has a checksum of each file.
    /// </summary>
    /// <param name="folder">The folder, which does not exist or is empty.</param>
    /// <param name="account">One of <see cref="Accounts"/>; null for all.</param>
    /// <param name="stream">The name of the only stream; null for all.</param>
    /// <param name="progress">Receives how far it is, on the calling thread; null for nobody.</param>
    /// <param name="cancellationToken">Ends the backup, and removes what it has written.</param>
    /// <exception cref="StoreException">
    /// There is no such account or stream, the streams are damaged, or the folder cannot be used.
    /// </exception>
    public IReadOnlyList<CopiedStreams> Backup(
        string folder, string? account = null, string? stream = null, IProgress<MaintenanceProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(folder);
        (string, IStoreFiles)[] accounts = account is null
            ? [.. _accounts.Select(static pair => (pair.Key, (IStoreFiles)pair.Value))]
            : [(account, Find(account, _accounts))];
        return Run(folder, "written", () => StoreBackup.Write(accounts, stream, Path.GetFullPath(folder), progress, cancellationToken));
    }

    /// <summary>
    /// Restores streams of a backup into the directory of a broker that is stopped, or into a new directory. The whole
    /// backup is checked before anything is changed.
    /// </summary>
    /// <param name="folder">The folder of the backup.</param>
    /// <param name="directory">The directory, which is created if it does not exist.</param>
    /// <param name="account">The name of the only account; null for all.</param>
    /// <param name="stream">The name of the only stream; null for all.</param>
    /// <param name="progress">Receives how far it is, on the calling thread; null for nobody.</param>
    /// <param name="cancellationToken">Ends the restore. The stream that is being restored is removed.</param>
    /// <exception cref="StoreException">
    /// The backup is damaged or not complete, the directory has a stream of the same name, or it cannot be used.
    /// </exception>
    public static IReadOnlyList<CopiedStreams> Restore(
        string folder,
        string directory,
        string? account = null,
        string? stream = null,
        IProgress<MaintenanceProgress>? progress = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(folder);
        ArgumentException.ThrowIfNullOrWhiteSpace(directory);
        return Run(directory, "written", () => StoreBackup.Restore(Path.GetFullPath(folder), account, stream, Path.GetFullPath(directory), progress, cancellationToken));
    }

    /// <summary>Unlocks the directory.</summary>
    public void Dispose()
    {
        foreach (IDisposable held in _locks)
        {
            held.Dispose();
        }

        _locks.Clear();
    }

    private void Find(string directory)
    {
        if (!Directory.Exists(directory))
        {
            throw new StoreException($"The directory '{directory}' does not exist.");
        }

        StoreFolders.Check(directory);
        foreach ((string account, string folder) in StoreFolders.In(directory))
        {
            var files = new DiskFiles(folder);
            if (!StoreDirectory.HasDamagedIdentity(files) && !StoreDirectory.IsStore(files))
            {
                continue;
            }

            _locks.Add(files.Lock(StoreFileNames.Lock));
            _accounts.Add(account, files);
        }

        if (_accounts.Count == 0)
        {
            // Names what else is there.
            _ = StoreDirectory.IsStore(new DiskFiles(directory));
            throw new StoreException($"The directory '{directory}' has no streams.");
        }
    }

    private StoreReport Run(string account, string what, Func<IStoreFiles, StoreReport> run)
    {
        DiskFiles files = Find(account, _accounts);
        return Run(files.Location, what, () => run(files));
    }

    private static DiskFiles Find(string account, SortedDictionary<string, DiskFiles> accounts)
        => accounts.TryGetValue(account, out DiskFiles? files)
            ? files
            : throw new StoreException($"The account '{account}' has no streams here; the accounts are: {string.Join(", ", accounts.Keys)}.");

    private static T Run<T>(string location, string what, Func<T> run)
    {
        try
        {
            return run();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new StoreException($"A file in '{location}' cannot be {what}: {e.Message}", e);
        }
    }
}
