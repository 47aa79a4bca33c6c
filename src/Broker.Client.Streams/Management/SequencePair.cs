using System.Text.Json.Serialization;

namespace Broker.Client.Streams;

/// <summary>A place in a consumer and in its stream.</summary>
public sealed record SequencePair
{
    /// <summary>The number of deliveries.</summary>
    [JsonPropertyName("consumer_seq")]
    public ulong ConsumerSequence { get; set; }

    /// <summary>The sequence of the message in the stream.</summary>
    [JsonPropertyName("stream_seq")]
    public ulong StreamSequence { get; set; }

    /// <summary>When this place was reached. Null if it was not.</summary>
    [JsonPropertyName("last_active")]
    public DateTimeOffset? Time { get; set; }
}
