namespace Broker.Transport.Buffers;

/// <summary>How far a trim of free blocks has come.</summary>
internal enum Trimming
{
    /// <summary>No more is kept than always may be.</summary>
    Done,

    /// <summary>What is left was in use lately: it is looked at again after a while.</summary>
    Waiting,

    /// <summary>There is more to let go, which is left for the next turns.</summary>
    Interrupted,
}
