namespace Broker.ZeroMq.Queues;

/// <summary>What came of an attempt to take a message.</summary>
internal enum TakeOutcome
{
    /// <summary>There is none.</summary>
    Empty,

    /// <summary>It was taken.</summary>
    Taken,

    /// <summary>There is one, and it was left where it is.</summary>
    Refused,

    /// <summary>The queue is closed.</summary>
    Closed,
}
