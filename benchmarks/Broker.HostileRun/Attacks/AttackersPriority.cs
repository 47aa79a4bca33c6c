namespace Broker.HostileRun.Attacks;

/// <summary>The priority with which the attackers' process gets the processors that the broker uses too.</summary>
internal enum AttackersPriority
{
    /// <summary>That of the broker and of the honest clients: a late answer may be a wait for a processor.</summary>
    Normal,

    /// <summary>
    /// The lowest of the system. The attackers take little time from the broker, as if they had a machine of their own.
    /// </summary>
    Lowest,
}
