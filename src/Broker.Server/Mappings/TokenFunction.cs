namespace Broker.Server;

/// <summary>The function of a token of a mapping's destination.</summary>
internal enum TokenFunction : byte
{
    /// <summary>A literal text.</summary>
    Literal,

    /// <summary>A token of the source.</summary>
    Wildcard,

    /// <summary>The tokens that <c>&gt;</c> of the source matches.</summary>
    Tail,

    /// <summary>A number below a limit that depends on tokens of the source.</summary>
    Partition,

    /// <summary>The parts of a token between the occurrences of a text.</summary>
    Split,

    /// <summary>Two parts of a token; the first part has a given length.</summary>
    SplitFromLeft,

    /// <summary>Two parts of a token; the second part has a given length.</summary>
    SplitFromRight,

    /// <summary>Parts of a token; each part has a given length, but the last part may be shorter.</summary>
    SliceFromLeft,

    /// <summary>Parts of a token; each part has a given length, but the first part may be shorter.</summary>
    SliceFromRight,

    /// <summary>The first bytes of a token.</summary>
    Left,

    /// <summary>The last bytes of a token.</summary>
    Right,

    /// <summary>A random number below a limit.</summary>
    Random,
}
