using System.Runtime.InteropServices;

namespace Broker.Transport;

/// <summary>Advises the system on the memory of an array. Linux only; not to be used on other systems.</summary>
internal static unsafe class Pages
{
    private const int MADV_DONTNEED = 4;
    private const int MADV_POPULATE_WRITE = 23;

    // As with the other calls of the C library: an import would be resolved, and a file opened, at its first call.
    private static readonly nint AdviseFunction = NativeLibrary.GetExport(NativeLibrary.GetMainProgramHandle(), "madvise");

    private static readonly nuint PageSize = (nuint)Environment.SystemPageSize;

    /// <summary>
    /// Returns the whole pages of a pinned array to the system: the next read finds zeros there. A kernel that does
    /// not support this leaves the pages.
    /// </summary>
    internal static void Discard(byte[] pinned) => Advise(pinned, MADV_DONTNEED);

    /// <summary>
    /// Makes the system map the whole pages of a pinned array now, in one call, because the array will soon be written
    /// to. Mapping page by page, when each is first written, costs several times as much. A kernel before 5.14 does
    /// not support this and maps them page by page.
    /// </summary>
    internal static void Populate(byte[] pinned) => Advise(pinned, MADV_POPULATE_WRITE);

    private static void Advise(byte[] pinned, int advice)
    {
        nuint begin = (nuint)(void*)Marshal.UnsafeAddrOfPinnedArrayElement(pinned, 0);
        nuint end = (begin + (nuint)pinned.Length) / PageSize * PageSize;
        begin = (begin + PageSize - 1) / PageSize * PageSize;
        if (begin < end)
        {
            _ = ((delegate* unmanaged<void*, nuint, int, int>)AdviseFunction)((void*)begin, end - begin, advice);
        }

        // The caller may have dropped its last reference. If the array were collected before the kernel is done, other
        // data could be in these pages.
        GC.KeepAlive(pinned);
    }
}
