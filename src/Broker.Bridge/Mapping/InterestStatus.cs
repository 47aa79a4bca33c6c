namespace Broker.Bridge;

/// <summary>The result of adding a prefix to an <see cref="InterestSet"/> or removing a prefix.</summary>
internal enum InterestStatus
{
    /// <summary>The prefix was added or removed.</summary>
    Accepted,

    /// <summary>The prefix was not added: the set has the maximum number of different prefixes.</summary>
    TooManyPrefixes,

    /// <summary>The prefix was not added: the different prefixes would exceed the maximum size in bytes.</summary>
    TooManyBytes,

    /// <summary>The prefix was not removed: it is not in the set.</summary>
    Unknown,
}
