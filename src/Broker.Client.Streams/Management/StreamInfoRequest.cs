using System.Text.Json.Serialization;

namespace Broker.Client.Streams;

internal sealed class StreamInfoRequest
{
    [JsonPropertyName("subjects_filter")]
    public string? Subjects { get; init; }

    public int Offset { get; init; }
}
