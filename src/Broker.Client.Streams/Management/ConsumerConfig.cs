using System.Text.Json;
using System.Text.Json.Serialization;

namespace Broker.Client.Streams;

/// <summary>
/// The configuration of a consumer. Fields of a newer server are kept in <see cref="OtherFields"/>, so that an update
/// does not reset them.
/// </summary>
public sealed record ConsumerConfig
{
    /// <summary>Creates the configuration of an ephemeral consumer with the server's defaults.</summary>
    public ConsumerConfig()
    {
    }

    /// <summary>Creates the configuration of a durable consumer.</summary>
    /// <param name="durable">The name of the consumer.</param>
    public ConsumerConfig(string durable) => Durable = durable;

    /// <summary>The name. Null to choose one, or for the name of <see cref="Durable"/>.</summary>
    public string? Name { get; set; }

    /// <summary>
    /// The name of a consumer that the server keeps while nobody uses it. Null for an ephemeral consumer.
    /// </summary>
    [JsonPropertyName("durable_name")]
    public string? Durable { get; set; }

    /// <summary>A description for people. Null for none.</summary>
    public string? Description { get; set; }

    /// <summary>The first message. Default: the first message of the stream.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.Never)]
    public DeliverPolicy DeliverPolicy { get; set; }

    /// <summary>The first sequence of <see cref="DeliverPolicy.FromSequence"/>.</summary>
    [JsonPropertyName("opt_start_seq")]
    public ulong StartSequence { get; set; }

    /// <summary>The time of <see cref="DeliverPolicy.FromTime"/>.</summary>
    [JsonPropertyName("opt_start_time")]
    public DateTimeOffset? StartTime { get; set; }

    /// <summary>Which messages must be acknowledged. Default: each.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.Never)]
    public AckPolicy AckPolicy { get; set; } = AckPolicy.Explicit;

    /// <summary>
    /// How long a delivered message waits for its acknowledgement before it is delivered again. Zero for the server's
    /// default, 30 seconds.
    /// </summary>
    public TimeSpan AckWait { get; set; }

    /// <summary>How often a message is delivered at most. -1 for no limit.</summary>
    public long MaxDeliver { get; set; } = -1;

    /// <summary>
    /// The waits before a message is delivered again: the first, the second and so on. Null for
    /// <see cref="AckWait"/>.
    /// </summary>
    public IReadOnlyList<TimeSpan>? Backoff { get; set; }

    /// <summary>The subjects that the consumer delivers, with wildcards. Null for all of the stream.</summary>
    public string? FilterSubject { get; set; }

    /// <summary>Several subjects that the consumer delivers. Null for none. Needs nats-server 2.10.</summary>
    public IReadOnlyList<string>? FilterSubjects { get; set; }

    /// <summary>The pace of stored messages. Default: as fast as possible.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.Never)]
    public ReplayPolicy ReplayPolicy { get; set; }

    /// <summary>The largest pace, in bits in a second. 0 for no limit. For a push consumer only.</summary>
    [JsonPropertyName("rate_limit_bps")]
    public ulong RateLimit { get; set; }

    /// <summary>
    /// The percentage of acknowledgements that the server publishes for observers, <c>100%</c> for all. Null for none.
    /// </summary>
    [JsonPropertyName("sample_freq")]
    public string? SampleFrequency { get; set; }

    /// <summary>
    /// The largest number of delivered messages that are not acknowledged. 0 for the server's default, 1,000; -1 for no
    /// limit.
    /// </summary>
    public int MaxAckPending { get; set; }

    /// <summary>The largest number of pulls that wait. 0 for the server's default, 512. For a pull consumer.</summary>
    public int MaxWaiting { get; set; }

    /// <summary>The largest number of messages of one pull. 0 for no limit.</summary>
    public int MaxBatch { get; set; }

    /// <summary>The longest time that a pull may wait. Zero for no limit.</summary>
    public TimeSpan MaxExpires { get; set; }

    /// <summary>The largest size of the messages of one pull, in bytes. 0 for no limit.</summary>
    public int MaxBytes { get; set; }

    /// <summary>
    /// How long the server keeps a consumer that nobody uses. Zero for the server's default: 5 seconds for an ephemeral
    /// consumer, and for ever for a durable one.
    /// </summary>
    public TimeSpan InactiveThreshold { get; set; }

    /// <summary>Whether only the headers are delivered, with the size of the body in <c>Nats-Msg-Size</c>.</summary>
    public bool HeadersOnly { get; set; }

    /// <summary>The number of servers that keep the consumer. 0 for that of the stream.</summary>
    [JsonPropertyName("num_replicas")]
    public int Replicas { get; set; }

    /// <summary>Whether the server keeps the state of the consumer in memory only.</summary>
    [JsonPropertyName("mem_storage")]
    public bool MemoryStorage { get; set; }

    /// <summary>The subject that a push consumer delivers to. Null for a pull consumer.</summary>
    public string? DeliverSubject { get; set; }

    /// <summary>The queue group of a push consumer. Null for none.</summary>
    public string? DeliverGroup { get; set; }

    /// <summary>Whether a push consumer waits for the reader now and then.</summary>
    public bool FlowControl { get; set; }

    /// <summary>The pause after which a push consumer without messages sends a heartbeat. Zero for none.</summary>
    public TimeSpan IdleHeartbeat { get; set; }

    /// <summary>When the consumer resumes. Null if it is not paused. Needs nats-server 2.11.</summary>
    public DateTimeOffset? PauseUntil { get; set; }

    /// <summary>Names and values for programs. Null for none. Needs nats-server 2.10.</summary>
    public IReadOnlyDictionary<string, string>? Metadata { get; set; }

    /// <summary>Fields that this version does not know. They are sent back as they came.</summary>
    [JsonExtensionData]
    public IDictionary<string, JsonElement>? OtherFields { get; set; }
}
