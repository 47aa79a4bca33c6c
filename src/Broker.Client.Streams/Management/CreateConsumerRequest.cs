using System.Text.Json.Serialization;

namespace Broker.Client.Streams;

internal sealed class CreateConsumerRequest
{
    [JsonPropertyName("stream_name")]
    public required string Stream { get; init; }

    public required ConsumerConfig Config { get; init; }

    /// <summary><c>create</c>, <c>update</c>, or null for either.</summary>
    public string? Action { get; init; }
}
