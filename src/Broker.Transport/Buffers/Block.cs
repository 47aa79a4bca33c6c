namespace Broker.Transport;

/// <summary>
/// A pinned array that contains outbound bytes between <see cref="Start"/> and <see cref="End"/>. A block has one
/// owner at a time: the write buffer that fills it, the connection's queue, or a pool.
/// </summary>
internal sealed class Block
{
    // For a smaller array, a call of the kernel costs more than it saves.
    private const int LeastToAdvise = 16 * 1024;

    internal Block(SharedBlockPool home, int capacity, int sizeClass)
    {
        Pool = home;
        // The array is pinned for its lifetime, so that the kernel can use its address without a handle for each call.
        Array = GC.AllocateUninitializedArray<byte>(capacity, pinned: true);
        SizeClass = sizeClass;
        if (OperatingSystem.IsLinux() && capacity >= LeastToAdvise)
        {
            Pages.Populate(Array);
        }
    }

    internal byte[] Array { get; }

    /// <summary>
    /// The shared pool that created the block. The block returns to this pool, even if it was sent to the other end of
    /// an in-process link whose loop is in another group.
    /// </summary>
    internal SharedBlockPool Pool { get; }

    /// <summary>The index of this block's size in the pools, or -1 if no pool takes the block back.</summary>
    internal int SizeClass { get; }

    internal int Start { get; set; }

    internal int End { get; set; }

    internal Block? Next { get; set; }

    internal int Length => End - Start;

    /// <summary>The number of bytes that can still be appended.</summary>
    internal int FreeSpace => Array.Length - End;

    /// <summary>
    /// Returns the whole pages of the array to the system, before the garbage collector gets the block. Otherwise the
    /// collector would keep memory that becomes free between pinned arrays, and it may not run for hours if nothing is
    /// allocated. The content is lost. On systems other than Linux, this does nothing.
    /// </summary>
    internal void Discard()
    {
        if (OperatingSystem.IsLinux() && Array.Length >= LeastToAdvise)
        {
            Pages.Discard(Array);
        }
    }

    /// <summary>
    /// Appends a copy of the content of <paramref name="other"/>. The free space must be large enough.
    /// </summary>
    internal void Append(Block other)
    {
        other.Array.AsSpan(other.Start, other.Length).CopyTo(Array.AsSpan(End));
        End += other.Length;
    }
}
