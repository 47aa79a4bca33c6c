using Broker.Server;

namespace Broker.Streams;

/// <summary>A directory of the file system.</summary>
internal sealed class DiskFiles : IStoreFiles
{
    private readonly string _directory;

    /// <summary>Uses a directory, and creates it if it does not exist.</summary>
    internal DiskFiles(string directory)
    {
        _directory = Path.GetFullPath(directory);
        if (!Directory.Exists(_directory))
        {
            Directory.CreateDirectory(_directory);
            string? parent = Path.GetDirectoryName(_directory);
            if (parent is not null)
            {
                DirectorySync.Sync(parent);
            }
        }
    }

    public string Location => _directory;

    public bool EndWithProcess => false;

    public IReadOnlyList<string> List() => [.. Directory.EnumerateFileSystemEntries(_directory).Select(static path => Path.GetFileName(path))];

    public IStoreFile Create(string name) => new DiskFile(File.OpenHandle(At(name), FileMode.CreateNew, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete));

    public IStoreFile Open(string name) => new DiskFile(File.OpenHandle(At(name), FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete));

    public void Rename(string from, string to) => File.Move(At(from), At(to), overwrite: true);

    public void Delete(string name) => File.Delete(At(name));

    public void SyncDirectory() => DirectorySync.Sync(_directory);

    // The runtime takes an exclusive lock of the file on each system for FileShare.None.
    public IDisposable Lock(string name)
    {
        try
        {
            return File.OpenHandle(At(name), FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);
        }
        catch (IOException e)
        {
            throw new StoreException($"The store '{_directory}' is in use by another process: it has locked the file '{name}'.", e);
        }
    }

    private string At(string name) => Path.Combine(_directory, name);
}
