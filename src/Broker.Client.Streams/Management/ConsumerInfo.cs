using System.Text.Json.Serialization;

namespace Broker.Client.Streams;

/// <summary>A consumer: its configuration and its progress.</summary>
public sealed record ConsumerInfo
{
    /// <summary>The name of the stream.</summary>
    [JsonPropertyName("stream_name")]
    public string Stream { get; set; } = "";

    /// <summary>The name of the consumer.</summary>
    public string Name { get; set; } = "";

    /// <summary>The configuration.</summary>
    public ConsumerConfig Config { get; set; } = new();

    /// <summary>When the consumer was created.</summary>
    public DateTimeOffset Created { get; set; }

    /// <summary>The last delivery.</summary>
    public SequencePair Delivered { get; set; } = new();

    /// <summary>The last message before which everything is acknowledged.</summary>
    [JsonPropertyName("ack_floor")]
    public SequencePair AckFloor { get; set; } = new();

    /// <summary>The number of messages that are delivered and not acknowledged.</summary>
    [JsonPropertyName("num_ack_pending")]
    public long AckPending { get; set; }

    /// <summary>The number of messages that were delivered more than once and are not acknowledged.</summary>
    [JsonPropertyName("num_redelivered")]
    public long Redelivered { get; set; }

    /// <summary>The number of pulls that wait.</summary>
    [JsonPropertyName("num_waiting")]
    public long Waiting { get; set; }

    /// <summary>The number of messages that are not delivered yet.</summary>
    [JsonPropertyName("num_pending")]
    public ulong Pending { get; set; }

    /// <summary>Whether a subscription receives the messages of this push consumer.</summary>
    public bool PushBound { get; set; }

    /// <summary>Whether the consumer delivers nothing until its <see cref="ConsumerConfig.PauseUntil"/>.</summary>
    public bool Paused { get; set; }

    /// <summary>The time until a paused consumer resumes.</summary>
    public TimeSpan PauseRemaining { get; set; }

    /// <summary>The servers that keep the consumer. Null if the server is in no cluster.</summary>
    public ClusterInfo? Cluster { get; set; }

    /// <summary>The time of this description on the server. Null from a server that does not send it.</summary>
    [JsonPropertyName("ts")]
    public DateTimeOffset? Time { get; set; }
}
