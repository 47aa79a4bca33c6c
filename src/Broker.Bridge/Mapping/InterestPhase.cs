namespace Broker.Bridge;

/// <summary>The state of a filter's subscription.</summary>
internal enum InterestPhase
{
    /// <summary>Not subscribed.</summary>
    Absent,

    /// <summary>Subscribed, but the PONG that confirms it has not arrived yet.</summary>
    Pending,

    /// <summary>Subscribed, and the server has processed the subscription.</summary>
    Active,
}
