using System.Text.Json;
using System.Text.Json.Serialization;

namespace Broker.Streams;

/// <summary>
/// The configuration of a stream as it is sent. It has all fields that nats-server 2.15 knows, because clients send
/// back what they have received. Other fields are refused. Durations are in nanoseconds.
/// </summary>
[JsonUnmappedMemberHandling(JsonUnmappedMemberHandling.Disallow)]
internal sealed class StreamConfig
{
    public string Name { get; set; } = "";

    public string? Description { get; set; }

    public List<string>? Subjects { get; set; }

    public string? Retention { get; set; }

    public int MaxConsumers { get; set; }

    public long MaxMsgs { get; set; }

    public long MaxBytes { get; set; }

    public long MaxAge { get; set; }

    public long MaxMsgsPerSubject { get; set; }

    public int MaxMsgSize { get; set; }

    public string? Discard { get; set; }

    public bool? DiscardNewPerSubject { get; set; }

    public string? Storage { get; set; }

    public int NumReplicas { get; set; }

    public bool? NoAck { get; set; }

    public string? TemplateOwner { get; set; }

    public long DuplicateWindow { get; set; }

    public JsonElement? Placement { get; set; }

    public JsonElement? Mirror { get; set; }

    public JsonElement? Sources { get; set; }

    public string? Compression { get; set; }

    public ulong? FirstSeq { get; set; }

    public JsonElement? SubjectTransform { get; set; }

    [JsonPropertyName("republish")]
    public JsonElement? RePublish { get; set; }

    public bool Sealed { get; set; }

    public bool DenyDelete { get; set; }

    public bool DenyPurge { get; set; }

    public bool AllowRollupHdrs { get; set; }

    public bool AllowDirect { get; set; }

    public bool MirrorDirect { get; set; }

    public ConsumerLimits? ConsumerLimits { get; set; }

    public bool? AllowMsgTtl { get; set; }

    public long? SubjectDeleteMarkerTtl { get; set; }

    public bool? AllowMsgCounter { get; set; }

    public bool? AllowAtomic { get; set; }

    public bool? AllowBatched { get; set; }

    public bool? AllowMsgSchedules { get; set; }

    public string? PersistMode { get; set; }

    public SortedDictionary<string, string>? Metadata { get; set; }
}
