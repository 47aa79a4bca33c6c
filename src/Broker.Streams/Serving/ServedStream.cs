using System.Text;
using Broker.Server;

namespace Broker.Streams;

/// <summary>A stream that an account uses. Used on the loop of the account only.</summary>
internal sealed class ServedStream
{
    private byte[] _lastId = [];
    private int _lastIdLength;

    internal ServedStream(StreamStore store, StoredStream stored, StoredConfig config)
    {
        Store = store;
        Stored = stored;
        Created = config.Created;
        Config = config.Config;
        AckStart = Encoding.UTF8.GetBytes($"{{\"stream\":\"{Config.Name}\",\"seq\":");
    }

    internal StreamStore Store { get; }

    internal StoredStream Stored { get; }

    /// <summary>When the stream was created, in UTC.</summary>
    internal DateTime Created { get; }

    internal StreamConfig Config { get; set; }

    internal string Name => Stored.Name;

    /// <summary>The subscriptions of the stream by their filters.</summary>
    internal Dictionary<string, TargetSubscription> Subscriptions { get; } = new(StringComparer.Ordinal);

    internal DuplicateTable Duplicates { get; } = new();

    /// <summary>The start of each acknowledgement, up to the sequence.</summary>
    internal byte[] AckStart { get; }

    /// <summary>The message id of the last message; empty if it had none.</summary>
    internal ReadOnlySpan<byte> LastId => _lastId.AsSpan(0, _lastIdLength);

    internal void SetLastId(ReadOnlySpan<byte> id)
    {
        if (_lastId.Length < id.Length)
        {
            _lastId = new byte[id.Length * 2];
        }

        id.CopyTo(_lastId);
        _lastIdLength = id.Length;
    }
}
