using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Broker.Streams;

/// <summary>
/// Reads of a file that succeed only if the system has the bytes in memory. Linux can tell; other systems cannot, and all
/// reads fail.
/// </summary>
internal static partial class CachedRead
{
    // RWF_NOWAIT: fail in place of waiting for the disk.
    private const int NoWait = 8;

    // Old C libraries do not have the function.
    private static readonly bool IsSupported = OperatingSystem.IsLinux() && Environment.Is64BitProcess
        && NativeLibrary.TryGetExport(NativeLibrary.GetMainProgramHandle(), "preadv2", out _);

    /// <summary>Fills a buffer. Returns false if some of the bytes are not in memory.</summary>
    /// <exception cref="ObjectDisposedException">The file is closed.</exception>
    internal static unsafe bool TryRead(SafeFileHandle handle, Span<byte> buffer, long offset)
    {
        if (!IsSupported)
        {
            return false;
        }

        fixed (byte* bytes = buffer)
        {
            var part = new Part { Bytes = bytes, Length = (nuint)buffer.Length };
            return Read(handle, &part, 1, offset, NoWait) == buffer.Length;
        }
    }

    [LibraryImport("libc", EntryPoint = "preadv2")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static unsafe partial nint Read(SafeFileHandle handle, Part* parts, int count, long offset, int flags);

    /// <summary>A buffer as the system call takes it (<c>iovec</c>).</summary>
    [StructLayout(LayoutKind.Sequential)]
    private unsafe struct Part
    {
        public byte* Bytes;
        public nuint Length;
    }
}
