namespace Broker.Benchmarks.Parsing;

/// <summary>The difference between one PUB of a stream and the next.</summary>
public enum StreamKind
{
    /// <summary>None: one subject and one size.</summary>
    Steady,

    /// <summary>The size differs.</summary>
    Sizes,

    /// <summary>The subject differs.</summary>
    Subjects,

    /// <summary>The subject and the size differ, and each message has its own reply subject.</summary>
    Replies,
}
