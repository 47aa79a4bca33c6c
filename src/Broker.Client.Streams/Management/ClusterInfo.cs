namespace Broker.Client.Streams;

/// <summary>The servers that keep a stream or a consumer.</summary>
public sealed record ClusterInfo
{
    /// <summary>The name of the cluster.</summary>
    public string? Name { get; set; }

    /// <summary>The name of the server that leads. Null while there is none.</summary>
    public string? Leader { get; set; }

    /// <summary>The other servers. Null for none.</summary>
    public IReadOnlyList<PeerInfo>? Replicas { get; set; }
}
