namespace Broker.Server.Monitoring;

/// <summary>Which clients are asked for.</summary>
[Flags]
public enum ConnectionStates
{
    /// <summary>None.</summary>
    None = 0,

    /// <summary>Those that are connected.</summary>
    Open = 1,

    /// <summary>The latest of those that have gone.</summary>
    Closed = 2,

    /// <summary>Both.</summary>
    All = Open | Closed,
}
