using System.Text.Json.Serialization;

namespace Broker.Leaf;

/// <summary>The allowed and denied filters of one direction.</summary>
internal sealed class HubPermission
{
    /// <summary>The allowed filters; null allows everything.</summary>
    [JsonPropertyName("allow")]
    public string[]? Allow { get; init; }

    [JsonPropertyName("deny")]
    public string[]? Deny { get; init; }
}
