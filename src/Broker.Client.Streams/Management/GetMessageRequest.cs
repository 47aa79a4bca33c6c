using System.Text.Json.Serialization;

namespace Broker.Client.Streams;

internal sealed class GetMessageRequest
{
    [JsonPropertyName("seq")]
    public ulong Sequence { get; init; }

    [JsonPropertyName("last_by_subj")]
    public string? LastOf { get; init; }

    [JsonPropertyName("next_by_subj")]
    public string? NextOf { get; init; }
}
