namespace Broker.Bridge;

/// <summary>The state of a filter's subscription.</summary>
internal enum InterestPhase
{
    /// <summary>The filter is not subscribed.</summary>
    Absent,

    /// <summary>The filter is subscribed, but the PONG that confirms the subscription has not arrived yet.</summary>
    Pending,

    /// <summary>The filter is subscribed, and the server has processed the subscription.</summary>
    Active,
}
