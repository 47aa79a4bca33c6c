namespace Broker.Protocol;

internal enum ScanStatus
{
    /// <summary>The end of the line has not arrived.</summary>
    Incomplete,
    Complete,
    TooLong,

    /// <summary>
    /// The line is complete, but has a CR that is not before the LF. Such a CR counts as a byte of the argument that
    /// contains it.
    /// </summary>
    StrayReturn,
}
