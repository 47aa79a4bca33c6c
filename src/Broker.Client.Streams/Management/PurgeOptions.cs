using System.Text.Json.Serialization;

namespace Broker.Client.Streams;

/// <summary>The messages that a purge removes.</summary>
public sealed record PurgeOptions
{
    /// <summary>The subjects whose messages are removed, with wildcards. Null for all.</summary>
    [JsonPropertyName("filter")]
    public string? Subject { get; set; }

    /// <summary>
    /// The sequence before which messages are removed. 0 for all. It excludes <see cref="Keep"/>.
    /// </summary>
    [JsonPropertyName("seq")]
    public ulong BeforeSequence { get; set; }

    /// <summary>The number of the last messages that are kept. 0 for none.</summary>
    public ulong Keep { get; set; }
}
