namespace Broker.Streams;

/// <summary>A directory whose lock the caller holds.</summary>
internal sealed class LockedFiles(IStoreFiles files) : IStoreFiles
{
    public string Location => files.Location;

    public bool EndWithProcess => files.EndWithProcess;

    public IReadOnlyList<string> List() => files.List();

    public IStoreFile Create(string name) => files.Create(name);

    public IStoreFile Open(string name) => files.Open(name);

    public void Rename(string from, string to) => files.Rename(from, to);

    public void Delete(string name) => files.Delete(name);

    public void SyncDirectory() => files.SyncDirectory();

    public IDisposable Lock(string name) => new MemoryFile();
}
