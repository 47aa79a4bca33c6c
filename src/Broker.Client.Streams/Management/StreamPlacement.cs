namespace Broker.Client.Streams;

/// <summary>The servers that keep a stream.</summary>
public sealed record StreamPlacement
{
    /// <summary>The name of the cluster. Null for any.</summary>
    public string? Cluster { get; set; }

    /// <summary>The tags that each server must have. Null for none.</summary>
    public IReadOnlyList<string>? Tags { get; set; }
}
