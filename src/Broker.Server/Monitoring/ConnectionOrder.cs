namespace Broker.Server;

/// <summary>
/// The order of clients in a list. An order by a number puts the largest number first. Clients with equal values are
/// ordered by id.
/// </summary>
public enum ConnectionOrder
{
    /// <summary>By id, which is the order in which the clients connected.</summary>
    Id,

    /// <summary>By the time when the client connected, the earliest first.</summary>
    Started,

    /// <summary>By the number of subscriptions.</summary>
    Subscriptions,

    /// <summary>By the number of queued bytes.</summary>
    Pending,

    /// <summary>By the number of delivered messages.</summary>
    MessagesOut,

    /// <summary>By the number of published messages.</summary>
    MessagesIn,

    /// <summary>By the number of delivered bytes.</summary>
    BytesOut,

    /// <summary>By the number of published bytes.</summary>
    BytesIn,

    /// <summary>By the time of the last activity, the latest first.</summary>
    LastActivity,

    /// <summary>By the time without activity, the longest first.</summary>
    Idle,

    /// <summary>By the time since the connection, the shortest first.</summary>
    Uptime,

    /// <summary>By the time when the connection was closed, the earliest first. For closed clients only.</summary>
    Stopped,

    /// <summary>By the reason why the connection was closed. For closed clients only.</summary>
    Reason,
}
