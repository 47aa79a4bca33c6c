using System.Runtime.InteropServices;

namespace Broker.Transport.Buffers;

/// <summary>The system's part in the memory of an array. Linux; not to be touched elsewhere.</summary>
internal static unsafe class Pages
{
    private const int MADV_DONTNEED = 4;
    private const int MADV_POPULATE_WRITE = 23;

    // As the other calls of the C library: an import would be looked up, and a file opened, at its first call.
    private static readonly nint s_adviseMemory = NativeLibrary.GetExport(NativeLibrary.GetMainProgramHandle(), "madvise");

    private static readonly nuint s_size = (nuint)Environment.SystemPageSize;

    /// <summary>
    /// Gives the whole pages of an array that is pinned for life back: what is read there next is zero. A kernel that cannot leaves them.
    /// </summary>
    internal static void Discard(byte[] pinned) => Advise(pinned, MADV_DONTNEED);

    /// <summary>
    /// Has the system find the whole pages of an array that is pinned for life now, in one call, which will be written before long: page by page, as each is
    /// touched, costs several times as much. A kernel before 5.14 cannot, and finds them then.
    /// </summary>
    internal static void Populate(byte[] pinned) => Advise(pinned, MADV_POPULATE_WRITE);

    private static void Advise(byte[] pinned, int advice)
    {
        nuint begin = (nuint)(void*)Marshal.UnsafeAddrOfPinnedArrayElement(pinned, 0);
        nuint end = (begin + (nuint)pinned.Length) / s_size * s_size;
        begin = (begin + s_size - 1) / s_size * s_size;
        if (begin < end)
        {
            _ = ((delegate* unmanaged<void*, nuint, int, int>)s_adviseMemory)((void*)begin, end - begin, advice);
        }

        // Nobody else may refer to it any more. Were it collected before the kernel is done, these could be somebody's pages again.
        GC.KeepAlive(pinned);
    }
}
