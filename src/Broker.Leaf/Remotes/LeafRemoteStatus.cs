namespace Broker.Leaf;

/// <summary>The state of the link to a remote at one moment.</summary>
public sealed record LeafRemoteStatus
{
    /// <summary>The account of this server that takes part.</summary>
    public required string Account { get; init; }

    /// <summary>
    /// The address of the connected server, or the address that was tried last, without user, password and token.
    /// </summary>
    public required string Address { get; init; }

    /// <summary>Whether messages pass.</summary>
    public required bool IsConnected { get; init; }

    /// <summary>The name of the connected server; empty without a connection.</summary>
    public required string RemoteName { get; init; }

    /// <summary>The number of times that the link was established.</summary>
    public required long Connects { get; init; }

    /// <summary>The messages received from the remote since the start.</summary>
    public required long MessagesIn { get; init; }

    /// <summary>The received payload bytes, headers included.</summary>
    public required long BytesIn { get; init; }

    /// <summary>The messages sent to the remote since the start.</summary>
    public required long MessagesOut { get; init; }

    /// <summary>The sent payload bytes, headers included.</summary>
    public required long BytesOut { get; init; }

    /// <summary>
    /// The messages for the remote that were lost here: the link was full or ended before it had sent them, or the
    /// message exceeded the maximum payload of the remote. Messages that were already sent are not counted.
    /// </summary>
    public required long MessagesLost { get; init; }

    /// <summary>The number of subscriptions that the remote has announced.</summary>
    public required int RemoteInterest { get; init; }

    /// <summary>The number of subscriptions that were announced to the remote.</summary>
    public required int LocalInterest { get; init; }

    /// <summary>The addresses of further servers that the connected server has listed.</summary>
    public required IReadOnlyList<string> DiscoveredAddresses { get; init; }

    /// <summary>Why the last connection or attempt ended; empty if none has ended.</summary>
    public required string LastError { get; init; }
}
