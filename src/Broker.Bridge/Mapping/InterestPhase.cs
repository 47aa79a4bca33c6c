namespace Broker.Bridge.Mapping;

/// <summary>How far the subscription of a filter has come.</summary>
internal enum InterestPhase
{
    /// <summary>Not subscribed.</summary>
    Absent,

    /// <summary>Subscribed; its barrier is still out.</summary>
    Pending,

    /// <summary>Subscribed, and the server is known to have processed it.</summary>
    Active,
}
