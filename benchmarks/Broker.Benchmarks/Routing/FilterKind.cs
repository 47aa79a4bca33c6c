namespace Broker.Benchmarks.Routing;

/// <summary>What filters a set of subscriptions has.</summary>
public enum FilterKind
{
    /// <summary>No wildcards.</summary>
    Literal,

    /// <summary><c>*</c> for the second of three tokens.</summary>
    Star,

    /// <summary><c>&gt;</c> after two tokens.</summary>
    Tail,

    /// <summary>These three in turn, and filters that begin with <c>*</c>, so that every walk has two branches.</summary>
    Mixed,
}
