using System.Numerics;

namespace Broker.Transport;

/// <summary>
/// The sizes of blocks. 4 KiB fits a connection that replies now and then, and 64 KiB fits a stream. Smaller sizes are
/// for a few bytes that have to wait. Larger sizes are for single messages that do not fit 64 KiB. From 16 KiB on,
/// there are two sizes for each doubling. So less than a third of the block of a message is unused.
/// </summary>
internal static class BlockSizes
{
    internal const int Unpooled = -1;

    /// <summary>The size of the first block of a write buffer, and of a queue with little content.</summary>
    internal const int Small = 4 * 1024;

    /// <summary>The size of the blocks of a stream.</summary>
    internal const int Stream = 64 * 1024;

    private static readonly int[] Capacities =
    [
        1 << 10, 4 << 10, 8 << 10, 16 << 10, 24 << 10, 32 << 10, 48 << 10, 64 << 10, 96 << 10, 128 << 10, 192 << 10, 256 << 10, 384 << 10, 512 << 10,
        768 << 10, 1 << 20, 3 << 19, 2 << 20,
    ];

    internal static int Count => Capacities.Length;

    internal static int ClassFor(int size) => size switch
    {
        <= 1 << 10 => 0,
        <= 4 << 10 => 1,
        <= 8 << 10 => 2,
        <= 16 << 10 => 3,
        <= 24 << 10 => 4,
        <= 32 << 10 => 5,
        <= 48 << 10 => 6,
        <= 64 << 10 => 7,
        <= 2 << 20 => ClassAbove(size),
        _ => Unpooled,
    };

    internal static int Capacity(int sizeClass) => Capacities[sizeClass];

    // The size is more than 64 KiB and at most 2 MiB. Each doubling has one size in its middle.
    private static int ClassAbove(int size)
    {
        int doubling = BitOperations.Log2((uint)(size - 1));
        int half = (size - 1) >> (doubling - 1) & 1;
        return 8 + ((doubling - 16) * 2) + half;
    }
}
