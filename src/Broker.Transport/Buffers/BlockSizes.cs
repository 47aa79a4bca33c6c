namespace Broker.Transport.Buffers;

/// <summary>
/// The sizes in which blocks are made and how many of each a pool keeps.
/// The smallest serves a connection that answers now and then, the second one that is streamed to,
/// the others hold single messages that do not fit the second.
/// </summary>
internal static class BlockSizes
{
    internal const int Count = 4;

    internal const int Unpooled = -1;

    internal static int ClassFor(int size) => size switch
    {
        <= 4 * 1024 => 0,
        <= 64 * 1024 => 1,
        <= 512 * 1024 => 2,
        <= 2 * 1024 * 1024 => 3,
        _ => Unpooled,
    };

    internal static int Capacity(int sizeClass) => sizeClass switch
    {
        0 => 4 * 1024,
        1 => 64 * 1024,
        2 => 512 * 1024,
        _ => 2 * 1024 * 1024,
    };

    // 1 MiB, 4 MiB, 2 MiB and 4 MiB: what a burst leaves behind goes back to the garbage collector.
    internal static int Kept(int sizeClass) => sizeClass switch
    {
        0 => 256,
        1 => 64,
        2 => 4,
        _ => 2,
    };
}
