using System.ComponentModel;
using System.Runtime.InteropServices;

namespace Broker.Protocol.Tests.Support;

/// <summary>
/// Memory that ends directly before an unreadable page, so that reading one byte too many ends the test process. On
/// systems without mmap it is ordinary memory.
/// </summary>
internal sealed unsafe partial class GuardedMemory : IDisposable
{
    private const int ReadWrite = 3;
    private const int PrivateAnonymous = 0x22;

    private readonly nuint _length;
    private readonly byte* _memory;
    private readonly int _room;

    internal GuardedMemory(int room)
    {
        int page = Environment.SystemPageSize;
        _room = (room + page - 1) / page * page;
        _length = (nuint)(_room + page);
        if (!OperatingSystem.IsLinux())
        {
            _memory = (byte*)NativeMemory.Alloc(_length);
            return;
        }

        _memory = (byte*)Map(0, _length, ReadWrite, PrivateAnonymous, -1, 0);
        if (_memory == (byte*)-1 || Protect((nint)(_memory + _room), (nuint)page, 0) != 0)
        {
            throw new Win32Exception();
        }
    }

    /// <summary>Copies both parts one after the other, so that the last byte is the last readable one.</summary>
    internal ReadOnlySpan<byte> Place(ReadOnlySpan<byte> first, ReadOnlySpan<byte> second)
    {
        var place = new Span<byte>(_memory + _room - first.Length - second.Length, first.Length + second.Length);
        first.CopyTo(place);
        second.CopyTo(place[first.Length..]);
        return place;
    }

    public void Dispose()
    {
        if (OperatingSystem.IsLinux())
        {
            _ = Unmap((nint)_memory, _length);
        }
        else
        {
            NativeMemory.Free(_memory);
        }
    }

    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    private static partial nint Map(nint address, nuint length, int protection, int flags, int descriptor, nint offset);

    [LibraryImport("libc", EntryPoint = "mprotect", SetLastError = true)]
    private static partial int Protect(nint address, nuint length, int protection);

    [LibraryImport("libc", EntryPoint = "munmap", SetLastError = true)]
    private static partial int Unmap(nint address, nuint length);
}
