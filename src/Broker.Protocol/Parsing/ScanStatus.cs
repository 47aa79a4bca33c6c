namespace Broker.Protocol.Parsing;

internal enum ScanStatus
{
    /// <summary>The end of the line has not arrived.</summary>
    Incomplete,
    Complete,
    TooLong,
}
