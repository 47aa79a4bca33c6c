using System.Text.Json;
using System.Text.Json.Serialization;

namespace Broker.Client.Streams;

/// <summary>The description of an object as it is stored. Fields of other clients are kept by an update.</summary>
internal sealed record ObjectMeta
{
    public string Name { get; set; } = "";

    public string? Description { get; set; }

    public IReadOnlyDictionary<string, IReadOnlyList<string>>? Headers { get; set; }

    public IReadOnlyDictionary<string, string>? Metadata { get; set; }

    public ObjectMetaOptions? Options { get; set; }

    public string? Bucket { get; set; }

    public string? Nuid { get; set; }

    // Readers of other clients want the two numbers also if they are 0.
    [JsonIgnore(Condition = JsonIgnoreCondition.Never)]
    public long Size { get; set; }

    [JsonIgnore(Condition = JsonIgnoreCondition.Never)]
    public long Chunks { get; set; }

    public string? Digest { get; set; }

    public bool Deleted { get; set; }

    [JsonExtensionData]
    public IDictionary<string, JsonElement>? OtherFields { get; set; }
}
