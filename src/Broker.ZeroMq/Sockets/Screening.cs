namespace Broker.ZeroMq.Loops;

/// <summary>
/// The decision of a REQ or REP socket about a received message. It depends on the state of the request.
/// </summary>
internal enum Screening
{
    /// <summary>Deliver the message.</summary>
    Deliver,

    /// <summary>Drop the message, because it is malformed or not expected.</summary>
    Drop,

    /// <summary>Do not deliver the message now: pause its peer.</summary>
    Pause,
}
