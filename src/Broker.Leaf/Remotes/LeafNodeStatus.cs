namespace Broker.Leaf;

/// <summary>The state of the link to a server that has joined this server, at one moment.</summary>
public sealed record LeafNodeStatus
{
    /// <summary>The name of the server, as it has told.</summary>
    public required string Name { get; init; }

    /// <summary>The account of this server that takes part.</summary>
    public required string Account { get; init; }

    /// <summary>The user that the server has authenticated as; null if no user was needed.</summary>
    public required string? UserName { get; init; }

    /// <summary>The IP address and port of the server.</summary>
    public required string Address { get; init; }

    /// <summary>The messages received from the server.</summary>
    public required long MessagesIn { get; init; }

    /// <summary>The received payload bytes, headers included.</summary>
    public required long BytesIn { get; init; }

    /// <summary>The messages sent to the server.</summary>
    public required long MessagesOut { get; init; }

    /// <summary>The sent payload bytes, headers included.</summary>
    public required long BytesOut { get; init; }

    /// <summary>
    /// The messages for the server that were lost here. See <see cref="LeafRemoteStatus.MessagesLost"/>.
    /// </summary>
    public required long MessagesLost { get; init; }

    /// <summary>The number of subscriptions that the server has announced.</summary>
    public required int RemoteInterest { get; init; }

    /// <summary>The number of subscriptions that were announced to the server.</summary>
    public required int LocalInterest { get; init; }
}
