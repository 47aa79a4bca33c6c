using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Broker.Streams;

/// <summary>
/// Writes the content of a file to the disk. On Linux, the time of the last change is left out: files of a store have
/// their full length before they are written, so the time alone would cost a second write, to the journal.
/// </summary>
internal static partial class DataSync
{
    private const int Interrupted = 4;

    internal static void Sync(SafeFileHandle handle)
    {
        if (!OperatingSystem.IsLinux())
        {
            RandomAccess.FlushToDisk(handle);
            return;
        }

        while (FDataSync(handle) != 0)
        {
            int error = Marshal.GetLastPInvokeError();
            if (error != Interrupted)
            {
                throw new IOException($"A file of the store could not be synced: {Marshal.GetPInvokeErrorMessage(error)}.");
            }
        }
    }

    [LibraryImport("libc", EntryPoint = "fdatasync", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int FDataSync(SafeFileHandle handle);
}
