namespace Broker.ZeroMq.Zmtp.Subscriptions;

/// <summary>What adding or removing a subscription did to the set of prefixes.</summary>
internal enum PrefixChange
{
    /// <summary>The count of a prefix changed, the set did not.</summary>
    Counted,

    /// <summary>The first subscription to the prefix: it is new in the set.</summary>
    First,

    /// <summary>The last subscription to the prefix: it left the set.</summary>
    Last,

    /// <summary>There was no subscription to remove.</summary>
    NotFound,

    /// <summary>Not added: a limit would be exceeded.</summary>
    LimitReached,
}
