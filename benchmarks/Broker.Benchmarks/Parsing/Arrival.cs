namespace Broker.Benchmarks.Parsing;

/// <summary>How a stream arrives at the parser.</summary>
public enum Arrival
{
    /// <summary>In one read.</summary>
    Whole,

    /// <summary>
    /// In reads of 1 to 2,048 bytes, the same for every parser. Each read is copied, as a kernel does.
    /// </summary>
    Split,
}
