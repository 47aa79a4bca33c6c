using System.Text.Json.Serialization;

namespace Broker.Client.Streams;

/// <summary>The subjects to which a stream publishes its stored messages again.</summary>
public sealed record Republish
{
    /// <summary>The subjects, with wildcards. Null for all.</summary>
    [JsonPropertyName("src")]
    public string? Source { get; set; }

    /// <summary>The new subject.</summary>
    [JsonPropertyName("dest")]
    public string Destination { get; set; } = "";

    /// <summary>Whether only the headers are published.</summary>
    public bool HeadersOnly { get; set; }
}
