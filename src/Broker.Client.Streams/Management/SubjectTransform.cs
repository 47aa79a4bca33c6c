using System.Text.Json.Serialization;

namespace Broker.Client.Streams;

/// <summary>A change of subjects.</summary>
public sealed record SubjectTransform
{
    /// <summary>The subjects that change, with wildcards.</summary>
    [JsonPropertyName("src")]
    public string Source { get; set; } = "";

    /// <summary>The new subject, in which <c>{{wildcard(1)}}</c> is a token of the old one.</summary>
    [JsonPropertyName("dest")]
    public string Destination { get; set; } = "";
}
