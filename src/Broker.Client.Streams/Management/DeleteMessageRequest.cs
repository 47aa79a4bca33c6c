using System.Text.Json.Serialization;

namespace Broker.Client.Streams;

internal sealed class DeleteMessageRequest
{
    [JsonPropertyName("seq")]
    public ulong Sequence { get; init; }

    public bool NoErase { get; init; }
}
