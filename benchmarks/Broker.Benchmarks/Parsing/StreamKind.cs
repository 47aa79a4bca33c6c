namespace Broker.Benchmarks.Parsing;

/// <summary>What changes from one PUB of a stream to the next.</summary>
public enum StreamKind
{
    /// <summary>Nothing: one subject, one size.</summary>
    Steady,

    /// <summary>The size.</summary>
    Sizes,

    /// <summary>The subject.</summary>
    Subjects,

    /// <summary>The subject, the size, and a reply subject of its own.</summary>
    Replies,
}
