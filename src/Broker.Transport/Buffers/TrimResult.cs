namespace Broker.Transport;

/// <summary>The result of trimming free blocks.</summary>
internal enum TrimResult
{
    /// <summary>The pool has no more free blocks than it may keep without a time limit.</summary>
    Done,

    /// <summary>
    /// The pool has more free blocks, but they were used lately or are kept for a while. The caller should trim again
    /// later.
    /// </summary>
    Waiting,

    /// <summary>More blocks can be freed after a pause.</summary>
    Interrupted,
}
