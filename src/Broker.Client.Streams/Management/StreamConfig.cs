using System.Text.Json;
using System.Text.Json.Serialization;

namespace Broker.Client.Streams;

/// <summary>
/// The configuration of a stream. Fields of a newer server are kept in <see cref="OtherFields"/>, so that an update
/// does not reset them.
/// </summary>
public sealed record StreamConfig
{
    /// <summary>Creates a configuration with the server's defaults.</summary>
    public StreamConfig()
    {
    }

    /// <summary>Creates the configuration of a stream for some subjects.</summary>
    /// <param name="name">The name of the stream.</param>
    /// <param name="subjects">The subjects, in which <c>*</c> and <c>&gt;</c> are wildcards.</param>
    public StreamConfig(string name, params IReadOnlyList<string> subjects)
    {
        Name = name;
        Subjects = subjects;
    }

    /// <summary>
    /// The name: 1 to 255 characters other than white space, <c>.</c>, <c>*</c>, <c>&gt;</c>, <c>/</c> and <c>\</c>.
    /// </summary>
    public string Name { get; set; } = "";

    /// <summary>A description for people. Null for none.</summary>
    public string? Description { get; set; }

    /// <summary>
    /// The subjects whose messages the stream stores, with wildcards. Null for a mirror, or for the name of the stream.
    /// </summary>
    public IReadOnlyList<string>? Subjects { get; set; }

    /// <summary>How long messages are kept. Default: until a limit is reached.</summary>
    public RetentionPolicy Retention { get; set; }

    /// <summary>The kind of memory for messages. Default: files.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.Never)]
    public StorageType Storage { get; set; }

    /// <summary>The number of servers that keep the messages, 1 to 5. Default 1.</summary>
    [JsonPropertyName("num_replicas")]
    public int Replicas { get; set; } = 1;

    /// <summary>The largest number of messages. -1 for no limit.</summary>
    [JsonPropertyName("max_msgs")]
    public long MaxMessages { get; set; } = -1;

    /// <summary>The largest number of messages of one subject. -1 for no limit.</summary>
    [JsonPropertyName("max_msgs_per_subject")]
    public long MaxMessagesPerSubject { get; set; } = -1;

    /// <summary>The largest size of all messages, in bytes. -1 for no limit.</summary>
    public long MaxBytes { get; set; } = -1;

    /// <summary>The largest size of one message, in bytes with headers. -1 for no limit.</summary>
    [JsonPropertyName("max_msg_size")]
    public int MaxMessageSize { get; set; } = -1;

    /// <summary>The largest age of a message. Zero for no limit.</summary>
    public TimeSpan MaxAge { get; set; }

    /// <summary>The largest number of consumers. -1 for no limit.</summary>
    public int MaxConsumers { get; set; } = -1;

    /// <summary>The messages that a full stream discards. Default: the oldest ones.</summary>
    public DiscardPolicy Discard { get; set; }

    /// <summary>
    /// Whether <see cref="DiscardPolicy.New"/> also refuses messages of a subject that has its own maximum of messages.
    /// </summary>
    public bool DiscardNewPerSubject { get; set; }

    /// <summary>
    /// How long the stream recognises the id of a message that it has stored already. Zero for the server's default,
    /// two minutes.
    /// </summary>
    public TimeSpan DuplicateWindow { get; set; }

    /// <summary>Whether the stream stores messages without acknowledging them.</summary>
    public bool NoAck { get; set; }

    /// <summary>
    /// Whether any server that has the messages answers a read of one message, which is faster. Default false.
    /// </summary>
    public bool AllowDirect { get; set; }

    /// <summary>Whether a mirror answers reads of messages of its original.</summary>
    public bool MirrorDirect { get; set; }

    /// <summary>Whether messages may replace all earlier messages of their subject or of the stream.</summary>
    [JsonPropertyName("allow_rollup_hdrs")]
    public bool AllowRollup { get; set; }

    /// <summary>Whether single messages cannot be deleted.</summary>
    public bool DenyDelete { get; set; }

    /// <summary>Whether the stream cannot be purged.</summary>
    public bool DenyPurge { get; set; }

    /// <summary>Whether the stream accepts no change and no more messages. It cannot be undone.</summary>
    public bool Sealed { get; set; }

    /// <summary>Whether a message may have a time to live of its own. Needs nats-server 2.11.</summary>
    [JsonPropertyName("allow_msg_ttl")]
    public bool AllowMessageTimeToLive { get; set; }

    /// <summary>
    /// How long a marker stays in place of the last message of a subject that was removed by its age. Zero for no
    /// markers. Needs nats-server 2.11.
    /// </summary>
    [JsonPropertyName("subject_delete_marker_ttl")]
    public TimeSpan DeleteMarkerTimeToLive { get; set; }

    /// <summary>How files are compressed. Default: not at all. Needs nats-server 2.10.</summary>
    public StreamCompression Compression { get; set; }

    /// <summary>The sequence of the first message. 0 for 1. Needs nats-server 2.10.</summary>
    [JsonPropertyName("first_seq")]
    public ulong FirstSequence { get; set; }

    /// <summary>The cluster or the servers that the stream is kept on. Null for any.</summary>
    public StreamPlacement? Placement { get; set; }

    /// <summary>The stream that this one copies. Null for none.</summary>
    public StreamSource? Mirror { get; set; }

    /// <summary>The streams whose messages this one also stores. Null for none.</summary>
    public IReadOnlyList<StreamSource>? Sources { get; set; }

    /// <summary>
    /// How subjects are changed before messages are stored. Null for not at all. Needs nats-server 2.10.
    /// </summary>
    public SubjectTransform? SubjectTransform { get; set; }

    /// <summary>The subjects to which stored messages are published again. Null for none.</summary>
    public Republish? Republish { get; set; }

    /// <summary>Names and values for programs. Null for none. Needs nats-server 2.10.</summary>
    public IReadOnlyDictionary<string, string>? Metadata { get; set; }

    /// <summary>Fields that this version does not know. They are sent back as they came.</summary>
    [JsonExtensionData]
    public IDictionary<string, JsonElement>? OtherFields { get; set; }

    /// <summary>
    /// Reads a configuration in the form of the JetStream API, as in a file of the <c>nats</c> command. The description
    /// of a stream, which contains its configuration, can be read too.
    /// </summary>
    /// <param name="json">A JSON object.</param>
    /// <exception cref="FormatException">The text is no such object. The message says why.</exception>
    public static StreamConfig Parse(string json)
    {
        ArgumentNullException.ThrowIfNull(json);
        try
        {
            using var document = JsonDocument.Parse(json);
            JsonElement root = document.RootElement;
            JsonElement config = root.ValueKind == JsonValueKind.Object && root.TryGetProperty("config", out JsonElement inner) ? inner : root;
            StreamConfig read = config.Deserialize(StreamsJson.Default.StreamConfig) ?? throw new JsonException("It is null.");

            // A name that the API does not have becomes a value that cannot be written.
            _ = JsonSerializer.SerializeToUtf8Bytes(read, StreamsJson.Default.StreamConfig);
            return read;
        }
        catch (JsonException e)
        {
            throw new FormatException($"The text is not the configuration of a stream: {e.Message}", e);
        }
    }
}
