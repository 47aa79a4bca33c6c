namespace Broker.Protocol.Parsing;

internal enum ScanStatus
{
    /// <summary>The end of the line has not arrived.</summary>
    Incomplete,
    Complete,
    TooLong,

    /// <summary>Complete, with a CR elsewhere than before the LF, which counts as a byte of its argument.</summary>
    StrayReturn,
}
