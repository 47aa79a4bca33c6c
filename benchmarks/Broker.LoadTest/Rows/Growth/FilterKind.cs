namespace Broker.LoadTest.Rows.Growth;

/// <summary>The form of the subscriptions of a crowd.</summary>
internal enum FilterKind
{
    /// <summary><c>g.0000007.x</c></summary>
    Literal,

    /// <summary><c>g.0000007.*</c></summary>
    Star,

    /// <summary><c>g.0000007.&gt;</c></summary>
    Full,

    /// <summary>A third of each.</summary>
    Mixed,
}
