namespace Broker.Protocol;

internal enum ScanStatus
{
    /// <summary>The end of the line has not arrived.</summary>
    Incomplete,
    Complete,
    TooLong,

    /// <summary>
    /// The line is complete and has a CR that does not precede the LF. Such a CR counts as a byte of its argument.
    /// </summary>
    StrayReturn,
}
