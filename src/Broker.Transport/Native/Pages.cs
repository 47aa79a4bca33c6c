using System.Runtime.InteropServices;

namespace Broker.Transport;

/// <summary>Advises the system on the memory of an array. On other systems than Linux, it must not be used.</summary>
internal static unsafe class Pages
{
    private const int MADV_DONTNEED = 4;
    private const int MADV_POPULATE_WRITE = 23;

    // The function is called by pointer, like the functions of LibC: an import would be resolved at its first call, and
    // would open a file.
    private static readonly nint AdviseFunction = NativeLibrary.GetExport(NativeLibrary.GetMainProgramHandle(), "madvise");

    private static readonly nuint PageSize = (nuint)Environment.SystemPageSize;

    /// <summary>
    /// Returns the whole pages of a pinned array to the system. The next read finds zeros in these pages. A kernel that
    /// does not support this changes nothing.
    /// </summary>
    internal static void Discard(byte[] pinned) => Advise(pinned, MADV_DONTNEED);

    /// <summary>
    /// Makes the system map the whole pages of a pinned array now, in one call, because the array will soon be written.
    /// If each page were mapped at its first write, this would cost several times as much. A kernel before 5.14 does
    /// not support this call, and maps each page at its first write.
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

        // The caller may have dropped its last reference. If the array were collected before the kernel is done, these
        // pages could already contain other data.
        GC.KeepAlive(pinned);
    }
}
