namespace Broker.Benchmarks.Parsing;

/// <summary>How a stream reaches the parser.</summary>
public enum Arrival
{
    /// <summary>In one piece.</summary>
    Whole,

    /// <summary>In reads of 1 to 2,048 bytes, the same for every parser; each is copied, as by a kernel.</summary>
    Split,
}
