using System.Text.Json;
using System.Text.Json.Serialization;

namespace Broker.Streams;

/// <summary>
/// The configuration of a consumer as it is sent, with all fields that nats-server 2.15 knows. Other fields are refused.
/// Durations are in nanoseconds.
/// </summary>
[JsonUnmappedMemberHandling(JsonUnmappedMemberHandling.Disallow)]
internal sealed class ConsumerConfig
{
    public string? DurableName { get; set; }

    public string? Name { get; set; }

    public string? Description { get; set; }

    public string? DeliverPolicy { get; set; }

    public ulong? OptStartSeq { get; set; }

    public DateTime? OptStartTime { get; set; }

    public string? AckPolicy { get; set; }

    public long? AckWait { get; set; }

    public long? MaxDeliver { get; set; }

    [JsonPropertyName("backoff")]
    public List<long>? BackOff { get; set; }

    public string? FilterSubject { get; set; }

    public List<string>? FilterSubjects { get; set; }

    public string? ReplayPolicy { get; set; }

    public ulong? RateLimitBps { get; set; }

    public string? SampleFreq { get; set; }

    public long? MaxWaiting { get; set; }

    public long? MaxAckPending { get; set; }

    public bool? FlowControl { get; set; }

    public bool? HeadersOnly { get; set; }

    public long? MaxBatch { get; set; }

    public long? MaxExpires { get; set; }

    public long? MaxBytes { get; set; }

    public string? DeliverSubject { get; set; }

    public string? DeliverGroup { get; set; }

    public long? IdleHeartbeat { get; set; }

    public long? InactiveThreshold { get; set; }

    public int NumReplicas { get; set; }

    public bool? MemStorage { get; set; }

    public bool? Direct { get; set; }

    public SortedDictionary<string, string>? Metadata { get; set; }

    public DateTime? PauseUntil { get; set; }

    public JsonElement? PriorityGroups { get; set; }

    public string? PriorityPolicy { get; set; }

    public long? PriorityTimeout { get; set; }
}
