namespace Broker.ZeroMq.Sockets;

/// <summary>What a pattern with a state makes of a message before anybody gets it.</summary>
internal enum Screening
{
    /// <summary>It is to be delivered.</summary>
    Deliver,

    /// <summary>It is not what is waited for, or malformed: it goes nowhere.</summary>
    Drop,

    /// <summary>Not now: its peer is held up.</summary>
    Hold,
}
