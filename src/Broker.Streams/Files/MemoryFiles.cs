namespace Broker.Streams;

/// <summary>A directory in memory, for streams that are not kept over a restart.</summary>
internal sealed class MemoryFiles : IStoreFiles
{
    private readonly Lock _gate = new();
    private readonly Dictionary<string, MemoryFile> _files = new(StringComparer.Ordinal);

    public string Location => "(memory)";

    public bool EndWithProcess => true;

    /// <summary>The bytes of all files that are in memory.</summary>
    internal long AllocatedBytes
    {
        get
        {
            lock (_gate)
            {
                return _files.Values.Sum(static file => file.AllocatedBytes);
            }
        }
    }

    public IReadOnlyList<string> List()
    {
        lock (_gate)
        {
            return [.. _files.Keys];
        }
    }

    public IStoreFile Create(string name)
    {
        lock (_gate)
        {
            return _files[name] = new MemoryFile();
        }
    }

    public IStoreFile Open(string name)
    {
        lock (_gate)
        {
            return _files.TryGetValue(name, out MemoryFile? file) ? file : throw new FileNotFoundException($"There is no file '{name}' in memory.");
        }
    }

    public void Rename(string from, string to)
    {
        lock (_gate)
        {
            _files.Remove(from, out MemoryFile? file);
            _files[to] = file!;
        }
    }

    public void Delete(string name)
    {
        lock (_gate)
        {
            if (_files.Remove(name, out MemoryFile? file))
            {
                file.Discard();
            }
        }
    }

    public void SyncDirectory()
    {
    }

    public IDisposable Lock(string name) => new MemoryFile();
}
