namespace Broker.Transport.Buffers;

/// <summary>
/// A pinned array that holds outbound bytes between <see cref="Start"/> and <see cref="End"/>.
/// A block has one owner at a time: the stage that fills it, the connection's queue, or a pool.
/// </summary>
internal sealed class Block
{
    // What is smaller is not worth a call of the kernel.
    private const int LeastToAdvise = 16 * 1024;

    internal Block(SharedBlockPool home, int capacity, int sizeClass)
    {
        Pool = home;
        // Pinned for life: the kernel is given its address without a handle per call.
        Array = GC.AllocateUninitializedArray<byte>(capacity, pinned: true);
        SizeClass = sizeClass;
        if (OperatingSystem.IsLinux() && capacity >= LeastToAdvise)
        {
            Pages.Populate(Array);
        }
    }

    internal byte[] Array { get; }

    /// <summary>The depot of the group that made it and gets it back, also from a link's other end in another group.</summary>
    internal SharedBlockPool Pool { get; }

    /// <summary>The pool's index of this block's size, or -1 when no pool takes it back.</summary>
    internal int SizeClass { get; }

    internal int Start { get; set; }

    internal int End { get; set; }

    internal Block? Next { get; set; }

    internal int Length => End - Start;

    /// <summary>How many bytes can still be appended.</summary>
    internal int FreeSpace => Array.Length - End;

    /// <summary>
    /// Gives its memory back to the system, as far as it fills pages, before the collector is given the block: that one keeps what it frees between pinned
    /// arrays, and may not come for hours where nothing is allocated. Its bytes are lost. On Linux; elsewhere nothing happens.
    /// </summary>
    internal void Discard()
    {
        if (OperatingSystem.IsLinux() && Array.Length >= LeastToAdvise)
        {
            Pages.Discard(Array);
        }
    }

    /// <summary>Copies all that <paramref name="other"/> holds behind what is there. There must be room.</summary>
    internal void Append(Block other)
    {
        other.Array.AsSpan(other.Start, other.Length).CopyTo(Array.AsSpan(End));
        End += other.Length;
    }
}
