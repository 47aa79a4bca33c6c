namespace Broker.Bridge.Mapping;

/// <summary>Whether a prefix was taken into or out of an <see cref="InterestSet"/>.</summary>
internal enum InterestStatus
{
    /// <summary>Done.</summary>
    Accepted,

    /// <summary>Refused: the set holds its maximum of distinct prefixes.</summary>
    TooManyPrefixes,

    /// <summary>Refused: the distinct prefixes would hold more bytes than the maximum.</summary>
    TooManyBytes,

    /// <summary>Nothing removed: the prefix is not in the set.</summary>
    Unknown,
}
