namespace Broker.Transport;

/// <summary>The result of trimming free blocks.</summary>
internal enum TrimResult
{
    /// <summary>No more blocks are free than may always be free.</summary>
    Done,

    /// <summary>
    /// More blocks are free, but they were used lately or are kept for a while: the caller should trim again later.
    /// </summary>
    Waiting,

    /// <summary>More blocks can be freed in the next iterations.</summary>
    Interrupted,
}
