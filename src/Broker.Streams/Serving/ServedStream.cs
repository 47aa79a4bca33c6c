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

    /// <summary>The bytes that count as used by the stream's own limit.</summary>
    internal long Reserved { get; set; }

    internal string Name => Stored.Name;

    /// <summary>The subscriptions of the stream by their filters.</summary>
    internal Dictionary<string, TargetSubscription> Subscriptions { get; } = new(StringComparer.Ordinal);

    internal DuplicateTable Duplicates { get; } = new();

    /// <summary>The number of the stream in its account, for the reports of its messages.</summary>
    internal int Slot { get; set; }

    /// <summary>Whether new messages were stored that its consumers have not been told of.</summary>
    internal bool IsWoken { get; set; }

    internal Dictionary<string, ServedConsumer> Consumers { get; } = new(StringComparer.Ordinal);

    /// <summary>The sequences that all consumers have handled, and whose deletion is not queued yet.</summary>
    internal List<ulong> Handled { get; } = [];

    /// <summary>Removes a consumer that nobody has used for long.</summary>
    internal Action<ServedConsumer>? RemoveInactive { get; set; }

    /// <summary>The start of each acknowledgement, up to the sequence.</summary>
    internal byte[] AckStart { get; }

    /// <summary>The message id of the last message; empty if it had none.</summary>
    internal ReadOnlySpan<byte> LastId => _lastId.AsSpan(0, _lastIdLength);

    /// <summary>The consumers in the order of their names.</summary>
    internal IEnumerable<ServedConsumer> InOrder() => Consumers.Values.OrderBy(static consumer => consumer.Name, StringComparer.Ordinal);

    /// <summary>Finds a consumer by the bytes of its name.</summary>
    internal ServedConsumer? FindConsumer(ReadOnlySpan<byte> name) => StreamTable.Find(Consumers, name);

    /// <summary>Whether a message must be kept for a consumer, in a stream that keeps no others.</summary>
    internal bool IsOfInterest(ReadOnlySpan<byte> subject)
    {
        foreach (ServedConsumer consumer in Consumers.Values)
        {
            if (consumer.Matches(subject))
            {
                return true;
            }
        }

        return Config.Retention is not StreamRules.InterestRetention;
    }

    /// <summary>Deletes a message that a consumer has acknowledged, if no consumer needs it.</summary>
    internal void Settled(ConsumerHost host, ulong sequence)
    {
        if (Config.Retention is StreamRules.WorkQueueRetention)
        {
            host.Delete(this, sequence);
        }
        else if (Config.Retention is StreamRules.InterestRetention && Store.FindOrDeleted(Stored, sequence) is { IsDeleted: false } entry && !IsNeeded(entry))
        {
            host.Delete(this, sequence);
        }
    }

    internal void Remove(ConsumerHost host, ServedConsumer consumer)
    {
        Consumers.Remove(consumer.Name);
        consumer.Delete();
        if (Config.Retention is StreamRules.InterestRetention)
        {
            Sweep(host);
        }
    }

    /// <summary>Deletes the messages that consumers have handled, for example before a restart.</summary>
    internal void Sweep(ConsumerHost host)
    {
        bool isQueue = Config.Retention is StreamRules.WorkQueueRetention;
        if (Config.Retention is StreamRules.LimitsRetention)
        {
            return;
        }

        using StoreBatch batch = Store.Begin();
        for (ulong next = 0; Stored.TryFindNext(next, default, out MessageEntry entry); next = entry.Sequence + 1)
        {
            if (!IsNeeded(entry) && (!isQueue || IsOfInterestOf(entry)))
            {
                host.Delete(this, entry.Sequence);
            }
        }
    }

    internal void SetLastId(ReadOnlySpan<byte> id)
    {
        if (_lastId.Length < id.Length)
        {
            _lastId = new byte[id.Length * 2];
        }

        id.CopyTo(_lastId);
        _lastIdLength = id.Length;
    }

    private bool IsNeeded(in MessageEntry entry)
    {
        foreach (ServedConsumer consumer in Consumers.Values)
        {
            if (consumer.Needs(entry.Sequence, entry.Subject.Name))
            {
                return true;
            }
        }

        return false;
    }

    private bool IsOfInterestOf(in MessageEntry entry)
    {
        foreach (ServedConsumer consumer in Consumers.Values)
        {
            if (consumer.Matches(entry.Subject.Name))
            {
                return true;
            }
        }

        return false;
    }
}
