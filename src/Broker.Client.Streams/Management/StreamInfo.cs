using System.Text.Json.Serialization;

namespace Broker.Client.Streams;

/// <summary>A stream: its configuration, its contents and its servers.</summary>
public sealed record StreamInfo
{
    /// <summary>The configuration.</summary>
    public StreamConfig Config { get; set; } = new();

    /// <summary>When the stream was created.</summary>
    public DateTimeOffset Created { get; set; }

    /// <summary>The contents.</summary>
    public StreamState State { get; set; } = new();

    /// <summary>The servers that keep the stream. Null if the server is in no cluster.</summary>
    public ClusterInfo? Cluster { get; set; }

    /// <summary>The progress of a mirror. Null for another stream.</summary>
    public StreamSourceInfo? Mirror { get; set; }

    /// <summary>The progress of the copies from other streams. Null for none.</summary>
    public IReadOnlyList<StreamSourceInfo>? Sources { get; set; }

    /// <summary>The time of this description on the server. Null from a server that does not send it.</summary>
    [JsonPropertyName("ts")]
    public DateTimeOffset? Time { get; set; }

    /// <summary>The number of subjects of which an answer has a part.</summary>
    [JsonInclude]
    internal int Total { get; set; }
}
