using System.Text.Json.Serialization;

namespace Broker.Client.Streams;

internal sealed class StoredMessageAnswer
{
    public string Subject { get; set; } = "";

    [JsonPropertyName("seq")]
    public ulong Sequence { get; set; }

    [JsonPropertyName("hdrs")]
    public byte[]? Headers { get; set; }

    public byte[]? Data { get; set; }

    public DateTimeOffset Time { get; set; }
}
