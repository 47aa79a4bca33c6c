using System.Text.Json;
using System.Text.Json.Serialization;

namespace Broker.Client.Streams;

/// <summary>The part of a stored description that says how the content is kept.</summary>
internal sealed record ObjectMetaOptions
{
    public ObjectMetaLink? Link { get; set; }

    public int MaxChunkSize { get; set; }

    [JsonExtensionData]
    public IDictionary<string, JsonElement>? OtherFields { get; set; }
}
