namespace Broker.Server;

/// <summary>The present connection to a peer server, for the events of the system account.</summary>
public sealed record RemoteConnection
{
    /// <summary>The IP address or the host of the peer.</summary>
    public required string Address { get; init; }

    /// <summary>The user as which the peer has joined; null if this server has joined the peer.</summary>
    public string? UserName { get; init; }

    /// <summary>The name that the peer has told when it joined; null if this server has joined the peer.</summary>
    public string? Name { get; init; }

    /// <summary>The version that the peer has told when it joined; null if this server has joined the peer.</summary>
    public string? Version { get; init; }

    /// <summary>The messages that were received over the connection.</summary>
    public long MessagesIn { get; init; }

    /// <summary>The messages that were sent over the connection.</summary>
    public long MessagesOut { get; init; }

    /// <summary>The received payload bytes.</summary>
    public long BytesIn { get; init; }

    /// <summary>The sent payload bytes.</summary>
    public long BytesOut { get; init; }
}
