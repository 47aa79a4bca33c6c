namespace Broker.Benchmarks.Routing;

/// <summary>The kind of filters in a set of subscriptions.</summary>
public enum FilterKind
{
    /// <summary>No wildcards.</summary>
    Literal,

    /// <summary><c>*</c> for the second of three tokens.</summary>
    Star,

    /// <summary><c>&gt;</c> after two tokens.</summary>
    Tail,

    /// <summary>
    /// These three kinds alternate with filters that begin with <c>*</c>, so that every walk has two branches.
    /// </summary>
    Mixed,
}
