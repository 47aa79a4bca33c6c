using System.Runtime.InteropServices;

namespace Broker.Server;

/// <summary>
/// Writes the names of a directory to the disk. NTFS does this with its own log, so Windows needs no call.
/// </summary>
internal static partial class DirectorySync
{
    internal static void Sync(string directory)
    {
        if (OperatingSystem.IsWindows())
        {
            return;
        }

        int descriptor = Open(directory, 0);
        if (descriptor < 0)
        {
            throw Failure("opened", directory);
        }

        try
        {
            if (FSync(descriptor) != 0)
            {
                throw Failure("synced", directory);
            }
        }
        finally
        {
            _ = Close(descriptor);
        }
    }

    private static IOException Failure(string what, string directory)
        => new($"The directory '{directory}' could not be {what}: error {Marshal.GetLastPInvokeError()}.");

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int Open(string path, int flags);

    [LibraryImport("libc", EntryPoint = "fsync", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int FSync(int descriptor);

    [LibraryImport("libc", EntryPoint = "close", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int Close(int descriptor);
}
