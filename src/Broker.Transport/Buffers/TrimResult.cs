namespace Broker.Transport.Buffers;

/// <summary>How far a trim of free blocks has come.</summary>
internal enum TrimResult
{
    /// <summary>No more is kept than always may be.</summary>
    Done,

    /// <summary>More is kept, in use lately or for a while yet: it is looked at again later.</summary>
    Waiting,

    /// <summary>There is more to let go, which is left for the next turns.</summary>
    Interrupted,
}
