namespace Broker.Client.Streams;

/// <summary>A server that keeps a copy.</summary>
public sealed record PeerInfo
{
    /// <summary>The name of the server.</summary>
    public string Name { get; set; } = "";

    /// <summary>Whether its copy is complete.</summary>
    public bool Current { get; set; }

    /// <summary>Whether the server cannot be reached.</summary>
    public bool Offline { get; set; }

    /// <summary>The time since the server was heard of.</summary>
    public TimeSpan Active { get; set; }

    /// <summary>The number of operations that are not copied yet.</summary>
    public ulong Lag { get; set; }
}
