namespace Broker.ZeroMq;

/// <summary>How a subscription that was added or removed changed the set of prefixes.</summary>
internal enum PrefixChange
{
    /// <summary>The count of a prefix changed, but the set did not.</summary>
    Counted,

    /// <summary>The first subscription to the prefix was added, so the prefix is new in the set.</summary>
    First,

    /// <summary>The last subscription to the prefix was removed, so the prefix left the set.</summary>
    Last,

    /// <summary>There was no subscription to remove.</summary>
    NotFound,

    /// <summary>The subscription was not added, because it would exceed a limit.</summary>
    LimitReached,
}
