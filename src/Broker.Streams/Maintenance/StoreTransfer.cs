namespace Broker.Streams;

/// <summary>Copies streams of one account between the directories of stopped brokers.</summary>
internal sealed class StoreTransfer : IDisposable
{
    private readonly StoreSource _source;
    private readonly StoredStream[] _streams;
    private readonly string _account;
    private StreamStore? _target;

    internal StoreTransfer(string account, StoreSource source, string? stream)
    {
        _account = account;
        _source = source;
        _streams = [.. source.Streams.Where(found => stream is null || string.Equals(found.Name, stream, StringComparison.Ordinal))];
    }

    /// <summary>Whether there is a stream to copy.</summary>
    internal bool HasStreams => _streams.Length > 0;

    /// <summary>The bytes of all messages.</summary>
    internal long Bytes => _streams.Sum(static stream => stream.Bytes);

    /// <summary>Opens the target, which is created if it does not exist.</summary>
    /// <exception cref="StoreException">The target cannot be used, or has a stream of the same name.</exception>
    internal void Open(IStoreFiles target, StoreOptions options)
    {
        StreamStore store = _target = StreamStore.Open(target, options);
        if (store.Recovery.Damage.Count > 0)
        {
            throw new StoreException($"The store '{target.Location}' is damaged: {store.Recovery.Damage[0]} Repair it first.");
        }

        string[] existing = [.. _streams.Select(static stream => stream.Name).Where(name => store.Find(name) is not null)];
        if (existing.Length > 0)
        {
            throw new StoreException($"The account '{_account}' in '{target.Location}' has these streams already: {string.Join(", ", existing)}. Nothing was changed.");
        }
    }

    /// <summary>Copies the streams.</summary>
    internal CopiedStreams Copy(Action<long> advance, CancellationToken stop)
    {
        var copy = new StreamCopy(_target!, advance, stop);
        foreach (StoredStream stream in _streams)
        {
            copy.Copy(stream);
        }

        return new CopiedStreams(
            _account, [.. _streams.Select(static stream => new StreamReport(stream.Name, stream.Messages, stream.Bytes, 0, stream.Last, stream.Consumers.Count))]);
    }

    public void Dispose()
    {
        _source.Dispose();
        _target?.Dispose();
    }
}
