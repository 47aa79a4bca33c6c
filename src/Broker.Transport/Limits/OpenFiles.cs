using System.Runtime.InteropServices;

namespace Broker.Transport;

/// <summary>The number of files, including sockets, that this process has open and may open.</summary>
internal static partial class OpenFiles
{
    private const int LinuxNumber = 7;
    private const int OtherNumber = 8;

    /// <summary>
    /// Returns the number of files that may be open; null if there is no limit or the limit is not known.
    /// </summary>
    internal static long? Limit()
    {
        if (OperatingSystem.IsWindows())
        {
            return null;
        }

        int resource = OperatingSystem.IsLinux() ? LinuxNumber : OtherNumber;
        return GetLimit(resource, out ResourceLimit limit) == 0 && limit.Current < int.MaxValue ? (long)limit.Current : null;
    }

    /// <summary>
    /// Returns the number of open files; <see cref="int.MaxValue"/> if they cannot be counted because no descriptor is
    /// free.
    /// </summary>
    internal static int Count()
    {
        try
        {
            // One of the entries is the directory itself, which is open now.
            return Directory.GetFileSystemEntries(OperatingSystem.IsLinux() ? "/proc/self/fd" : "/dev/fd").Length - 1;
        }
        catch (IOException)
        {
            return int.MaxValue;
        }
        catch (UnauthorizedAccessException)
        {
            return int.MaxValue;
        }
    }

    [LibraryImport("libc", EntryPoint = "getrlimit")]
    private static partial int GetLimit(int resource, out ResourceLimit limit);

    [StructLayout(LayoutKind.Sequential)]
    private struct ResourceLimit
    {
        public nuint Current;
        public nuint Most;
    }
}
