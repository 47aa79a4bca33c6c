namespace Broker.Streams;

/// <summary>
/// All access of a store to its directory. Tests replace it by a simulated disk. A failure is an
/// <see cref="IOException" />.
/// </summary>
internal interface IStoreFiles
{
    /// <summary>The directory, for messages.</summary>
    string Location { get; }

    /// <summary>
    /// Whether the files end with the process. Then no start reads them: they need no index, and may be deleted in any
    /// order.
    /// </summary>
    bool EndWithProcess { get; }

    /// <summary>The names of all files and folders in the directory.</summary>
    IReadOnlyList<string> List();

    /// <summary>Creates an empty file. A file of this name must not exist.</summary>
    IStoreFile Create(string name);

    IStoreFile Open(string name);

    /// <summary>Renames a file. A file of the new name is replaced.</summary>
    void Rename(string from, string to);

    void Delete(string name);

    /// <summary>Writes created, renamed and deleted names to the disk.</summary>
    void SyncDirectory();

    /// <summary>Locks the directory against other processes, until the result is disposed.</summary>
    /// <exception cref="StoreException">Another process has locked the directory.</exception>
    IDisposable Lock(string name);
}
