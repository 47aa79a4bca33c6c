namespace Broker.Server;

/// <summary>The states of the clients that a query lists.</summary>
[Flags]
public enum ConnectionStates
{
    /// <summary>No clients.</summary>
    None = 0,

    /// <summary>Connected clients.</summary>
    Open = 1,

    /// <summary>The clients that were closed most recently.</summary>
    Closed = 2,

    /// <summary>Connected and closed clients.</summary>
    All = Open | Closed,
}
