using System.Text.Json;
using System.Text.Json.Serialization;

namespace Broker.Client.Streams;

/// <summary>A stream whose messages another stream stores too.</summary>
public sealed record StreamSource
{
    /// <summary>The name of the stream.</summary>
    public string Name { get; set; } = "";

    /// <summary>The first sequence to copy. 0 for all.</summary>
    [JsonPropertyName("opt_start_seq")]
    public ulong StartSequence { get; set; }

    /// <summary>The time of the first message to copy. Null for all.</summary>
    [JsonPropertyName("opt_start_time")]
    public DateTimeOffset? StartTime { get; set; }

    /// <summary>The subjects to copy, with wildcards. Null for all.</summary>
    public string? FilterSubject { get; set; }

    /// <summary>The subjects to copy and how they change. Null for none. Needs nats-server 2.10.</summary>
    public IReadOnlyList<SubjectTransform>? SubjectTransforms { get; set; }

    /// <summary>The account or the domain that has the stream. Null for the own one.</summary>
    public ExternalStream? External { get; set; }

    /// <summary>Fields that this version does not know. They are sent back as they came.</summary>
    [JsonExtensionData]
    public IDictionary<string, JsonElement>? OtherFields { get; set; }
}
