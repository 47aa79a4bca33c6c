using System.CommandLine;
using Broker.Client.Streams;

namespace Broker.Cli.Streams;

/// <summary>The flags of a stream's configuration. They have the names of the <c>nats</c> command.</summary>
internal sealed class StreamConfigFlags
{
    private readonly Option<string[]> _subjects = StorageFlags.List("--subjects", "Subjects whose messages are stored, separated by commas; may be repeated", "subjects");
    private readonly Option<string?> _description = new("--description") { Description = "A description for people", HelpName = "text" };
    private readonly Option<string?> _storage = StorageFlags.Choice("--storage", "Kind of memory for messages", StreamNames.Storages);
    private readonly Option<string?> _retention = StorageFlags.Choice("--retention", "How long messages are kept", StreamNames.Retentions);
    private readonly Option<string?> _discard = StorageFlags.Choice("--discard", "Messages that a full stream discards", StreamNames.Discards);
    private readonly Option<long?> _maxMessages = StorageFlags.Limit("--max-msgs", "Largest number of messages");
    private readonly Option<long?> _maxPerSubject = StorageFlags.Limit("--max-msgs-per-subject", "Largest number of messages of each subject");
    private readonly Option<long?> _maxBytes = StorageFlags.SizeLimit("--max-bytes", "Largest size of all messages");
    private readonly Option<TimeSpan?> _maxAge = StorageFlags.Time("--max-age", "Largest age of a message, such as 12h or 7d; 0s for no limit");
    private readonly Option<long?> _maxMessageSize = StorageFlags.SizeLimit("--max-msg-size", "Largest size of one message, with headers", int.MaxValue);
    private readonly Option<int?> _maxConsumers = StorageFlags.SmallLimit("--max-consumers", "Largest number of consumers");
    private readonly Option<int?> _replicas = StorageFlags.SmallLimit("--replicas", "Number of servers that keep the messages");
    private readonly Option<TimeSpan?> _window = StorageFlags.Time("--dupe-window", "How long the ids of messages are remembered");
    private readonly Option<string?> _compression = StorageFlags.Choice("--compression", "Compression of files", StreamNames.Compressions);
    private readonly Option<bool?> _ack = StorageFlags.Switch("--ack", "Acknowledge stored messages to their publishers");
    private readonly Option<bool?> _direct = StorageFlags.Switch("--allow-direct", "Any server that has a message may return it");
    private readonly Option<bool?> _rollup = StorageFlags.Switch("--allow-rollup", "A message may replace all earlier ones");
    private readonly Option<bool?> _denyDelete = StorageFlags.Switch("--deny-delete", "Single messages cannot be deleted");
    private readonly Option<bool?> _denyPurge = StorageFlags.Switch("--deny-purge", "The stream cannot be purged");
    private readonly Option<bool?> _messageLife = StorageFlags.Switch("--allow-msg-ttl", "A message may have a time to live");
    private readonly Option<bool?> _perSubject = StorageFlags.Switch("--discard-per-subject", "With --discard new, refuse messages of a full subject too");

    public bool HasSubjects(ParseResult flags) => flags.GetValue(_subjects) is { Length: > 0 };

    public void AddTo(Command command) => command.With(
        _subjects, _description, _storage, _retention, _discard, _maxMessages, _maxPerSubject, _maxBytes, _maxAge, _maxMessageSize, _maxConsumers,
        _replicas, _window, _compression, _ack, _direct, _rollup, _denyDelete, _denyPurge, _messageLife, _perSubject);

    /// <summary>Returns the configuration with what the flags change.</summary>
    public StreamConfig Over(StreamConfig config, ParseResult flags) => config with
    {
        Subjects = flags.GetValue(_subjects) is { Length: > 0 } subjects ? subjects : config.Subjects,
        Description = flags.GetValue(_description) ?? config.Description,
        Storage = flags.GetValue(_storage) is { } storage ? (StorageType)Array.IndexOf(StreamNames.Storages, storage) : config.Storage,
        Retention = flags.GetValue(_retention) is { } retention ? (RetentionPolicy)Array.IndexOf(StreamNames.Retentions, retention) : config.Retention,
        Discard = flags.GetValue(_discard) is { } discard ? (DiscardPolicy)Array.IndexOf(StreamNames.Discards, discard) : config.Discard,
        MaxMessages = flags.GetValue(_maxMessages) ?? config.MaxMessages,
        MaxMessagesPerSubject = flags.GetValue(_maxPerSubject) ?? config.MaxMessagesPerSubject,
        MaxBytes = flags.GetValue(_maxBytes) ?? config.MaxBytes,
        MaxAge = flags.GetValue(_maxAge) ?? config.MaxAge,
        MaxMessageSize = (int)(flags.GetValue(_maxMessageSize) ?? config.MaxMessageSize),
        MaxConsumers = flags.GetValue(_maxConsumers) ?? config.MaxConsumers,
        Replicas = flags.GetValue(_replicas) ?? config.Replicas,
        DuplicateWindow = flags.GetValue(_window) ?? config.DuplicateWindow,
        Compression = flags.GetValue(_compression) is { } compression
            ? (StreamCompression)Array.IndexOf(StreamNames.Compressions, compression)
            : config.Compression,
        NoAck = flags.GetValue(_ack) is { } acknowledges ? !acknowledges : config.NoAck,
        AllowDirect = flags.GetValue(_direct) ?? config.AllowDirect,
        AllowRollup = flags.GetValue(_rollup) ?? config.AllowRollup,
        DenyDelete = flags.GetValue(_denyDelete) ?? config.DenyDelete,
        DenyPurge = flags.GetValue(_denyPurge) ?? config.DenyPurge,
        AllowMessageTimeToLive = flags.GetValue(_messageLife) ?? config.AllowMessageTimeToLive,
        DiscardNewPerSubject = flags.GetValue(_perSubject) ?? config.DiscardNewPerSubject,
    };
}
