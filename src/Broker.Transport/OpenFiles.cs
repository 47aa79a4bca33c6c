using System.Runtime.InteropServices;

namespace Broker.Transport;

/// <summary>What the operating system says of the files that this process has open, sockets among them.</summary>
internal static partial class OpenFiles
{
    private const int LinuxNumber = 7;
    private const int OtherNumber = 8;

    /// <summary>How many there may be; null where that is not limited or not known.</summary>
    internal static long? Limit()
    {
        if (OperatingSystem.IsWindows())
        {
            return null;
        }

        int resource = OperatingSystem.IsLinux() ? LinuxNumber : OtherNumber;
        return GetLimit(resource, out ResourceLimit limit) == 0 && limit.Current < int.MaxValue ? (long)limit.Current : null;
    }

    /// <summary>How many there are; as many as there can be when even that cannot be looked at.</summary>
    internal static int Count()
    {
        try
        {
            // One of them is the look itself.
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
