namespace Broker.Server.Monitoring;

/// <summary>How clients are ordered in a list; equal ones by their ids. Amounts come with the largest first.</summary>
public enum ConnectionOrder
{
    /// <summary>By id, which is the order in which they connected.</summary>
    Id,

    /// <summary>By the time at which they connected.</summary>
    Started,

    /// <summary>By the number of subscriptions.</summary>
    Subscriptions,

    /// <summary>By the bytes that wait for them.</summary>
    Pending,

    /// <summary>By the messages they were sent.</summary>
    MessagesOut,

    /// <summary>By the messages they published.</summary>
    MessagesIn,

    /// <summary>By the bytes they were sent.</summary>
    BytesOut,

    /// <summary>By the bytes they published.</summary>
    BytesIn,

    /// <summary>By their last activity, the latest first.</summary>
    LastActivity,

    /// <summary>By how long nothing has come from them, the longest first.</summary>
    Idle,

    /// <summary>By how long they have been connected, the shortest first.</summary>
    Uptime,

    /// <summary>By when they went. Of closed ones only.</summary>
    Stopped,

    /// <summary>By why they went. Of closed ones only.</summary>
    Reason,
}
