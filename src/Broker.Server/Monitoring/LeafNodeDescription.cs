namespace Broker.Server;

/// <summary>
/// A link to a server that this server joins as a leaf node, or that has joined this server, for the monitoring pages.
/// </summary>
public sealed record LeafNodeDescription
{
    /// <summary>The account of this server that takes part.</summary>
    public required string Account { get; init; }

    /// <summary>The configured addresses, as hosts and ports; empty for a server that has joined.</summary>
    public required IReadOnlyList<string> Addresses { get; init; }

    /// <summary>
    /// Whether the other server has joined this one. Default: false, so this server joins the other one.
    /// </summary>
    public bool HasJoined { get; init; }

    /// <summary>Whether messages pass.</summary>
    public required bool IsConnected { get; init; }

    /// <summary>The name of the connected server; empty without a connection.</summary>
    public string Name { get; init; } = "";

    /// <summary>The host or IP address of the connection.</summary>
    public string Host { get; init; } = "";

    /// <summary>The port of the connection.</summary>
    public int Port { get; init; }

    /// <summary>The messages received from the remote.</summary>
    public long MessagesIn { get; init; }

    /// <summary>The messages sent to the remote.</summary>
    public long MessagesOut { get; init; }

    /// <summary>The received payload bytes.</summary>
    public long BytesIn { get; init; }

    /// <summary>The sent payload bytes.</summary>
    public long BytesOut { get; init; }

    /// <summary>The number of subscriptions that the remote has announced.</summary>
    public int Subscriptions { get; init; }

    /// <summary>
    /// Lists the filters of these subscriptions. Null if they cannot be listed. Any thread may call this.
    /// </summary>
    public Func<Task<IReadOnlyList<string>>>? ListSubscriptionsAsync { get; init; }
}
