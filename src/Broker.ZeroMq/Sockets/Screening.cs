namespace Broker.ZeroMq.Loops;

/// <summary>The decision of a pattern with a state about a received message.</summary>
internal enum Screening
{
    /// <summary>Deliver the message.</summary>
    Deliver,

    /// <summary>Drop the message, because it is malformed or not expected.</summary>
    Drop,

    /// <summary>Do not deliver the message now: pause its peer.</summary>
    Pause,
}
