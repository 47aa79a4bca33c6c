using System.Runtime.InteropServices;

namespace Broker.Transport.Buffers;

/// <summary>The system's part in the memory of an array. Linux; not to be touched elsewhere.</summary>
internal static unsafe class Pages
{
    private const int MADV_DONTNEED = 4;

    // As the other calls of the C library: an import would be looked up, and a file opened, at its first call.
    private static readonly nint s_adviseMemory = NativeLibrary.GetExport(NativeLibrary.GetMainProgramHandle(), "madvise");

    private static readonly nuint s_size = (nuint)Environment.SystemPageSize;

    /// <summary>
    /// Gives the whole pages of an array that is pinned for life back: what is read there next is zero. A kernel that cannot leaves them.
    /// </summary>
    internal static void Discard(byte[] pinned)
    {
        nuint begin = (nuint)(void*)Marshal.UnsafeAddrOfPinnedArrayElement(pinned, 0);
        nuint end = (begin + (nuint)pinned.Length) / s_size * s_size;
        begin = (begin + s_size - 1) / s_size * s_size;
        if (begin < end)
        {
            _ = ((delegate* unmanaged<void*, nuint, int, int>)s_adviseMemory)((void*)begin, end - begin, MADV_DONTNEED);
        }

        // Nobody else may refer to it any more. Were it collected before the kernel is done, these could be somebody's pages again.
        GC.KeepAlive(pinned);
    }
}
