using System.Text.Json.Serialization;

namespace Broker.Client.Streams;

/// <summary>How a stream of another account or domain is reached.</summary>
public sealed record ExternalStream
{
    /// <summary>The prefix of the API: <c>$JS.DOMAIN.API</c>, or that of an import.</summary>
    [JsonPropertyName("api")]
    public string ApiPrefix { get; set; } = "";

    /// <summary>The prefix of the subjects that messages are delivered to. Null for the usual one.</summary>
    [JsonPropertyName("deliver")]
    public string? DeliverPrefix { get; set; }
}
