namespace Broker.HostileRun.Honest;

/// <summary>The phases of a run, in their order.</summary>
internal enum Phase
{
    /// <summary>Times are not counted, because code is being compiled.</summary>
    WarmUp,

    /// <summary>Honest traffic without attackers.</summary>
    Alone,

    /// <summary>Honest traffic beside attackers.</summary>
    Attacked,

    /// <summary>The attackers have stopped, and what is on its way arrives.</summary>
    Ending,
}
