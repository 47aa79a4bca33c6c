namespace Broker.Streams;

/// <summary>The stores of an account: one on the disk, and one in memory for streams that need no disk.</summary>
internal sealed class StreamStores : IDisposable
{
    private readonly StoreOptions _options;
    private StreamStore? _memory;

    internal StreamStores(IStoreFiles files, StoreOptions options)
    {
        _options = options;
        Disk = StreamStore.Open(files, options);
    }

    internal StreamStore Disk { get; }

    /// <summary>The store in memory; null if no stream needs it.</summary>
    internal StreamStore? Memory => _memory;

    /// <summary>Those that are open.</summary>
    internal IEnumerable<StreamStore> All => _memory is null ? [Disk] : [Disk, _memory];

    /// <summary>Whether so much waits for a sync that no more messages should come.</summary>
    internal bool IsBusy => Disk.IsBusy || _memory is { IsBusy: true };

    internal StreamStore Of(StreamConfig config) => config.Storage is StreamRules.Memory
        ? _memory ??= StreamStore.Open(new MemoryFiles(), _options.ForMemory())
        : Disk;

    public void Dispose()
    {
        Disk.Dispose();
        _memory?.Dispose();
    }
}
