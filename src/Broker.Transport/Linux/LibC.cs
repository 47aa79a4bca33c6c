using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Broker.Transport.Linux;

/// <summary>The calls of the C library that the Linux transport needs. All arguments are blittable; none throws.</summary>
/// <remarks>
/// The error number is read with <see cref="Marshal.GetLastSystemError"/> straight after a call. Receiving and sending
/// copy for microseconds, so they must not suppress the transition that lets the garbage collector go on.
/// </remarks>
internal static unsafe partial class LibC
{
    internal const int EINTR = 4;
    internal const int EAGAIN = 11;

    internal const int EPOLL_CLOEXEC = 0x80000;
    internal const int EPOLL_CTL_ADD = 1;
    internal const int EPOLL_CTL_DEL = 2;
    internal const int EPOLL_CTL_MOD = 3;
    internal const uint EPOLLIN = 0x001;
    internal const uint EPOLLOUT = 0x004;
    internal const uint EPOLLERR = 0x008;
    internal const uint EPOLLHUP = 0x010;
    internal const uint EPOLLRDHUP = 0x2000;
    internal const uint EPOLLET = 0x80000000;

    internal const int EFD_CLOEXEC = 0x80000;
    internal const int EFD_NONBLOCK = 0x800;

    // Of x86, Arm and most others; where they are something else the call fails.
    internal const nuint FIONREAD = 0x541B;
    internal const nuint SIOCOUTQ = 0x5411;

    // The same number on all architectures.
    internal const nint SYS_epoll_pwait2 = 441;

    internal const int MSG_PEEK = 0x02;
    internal const int MSG_DONTWAIT = 0x40;
    internal const int MSG_NOSIGNAL = 0x4000;

    [LibraryImport("libc", EntryPoint = "epoll_create1")]
    internal static partial int EpollCreate(int flags);

    [LibraryImport("libc", EntryPoint = "epoll_ctl")]
    internal static partial int EpollControl(int epoll, int operation, int descriptor, byte* epollEvent);

    [LibraryImport("libc", EntryPoint = "epoll_wait")]
    internal static partial int EpollWait(int epoll, byte* events, int most, int milliseconds);

    /// <summary>Linux 5.11 has epoll_pwait2; C libraries have it later, so it is called by its number.</summary>
    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    internal static partial nint EpollWait2(nint number, nint epoll, byte* events, nint most, TimeSpec* time, void* signals, nint signalsSize);

    [LibraryImport("libc", EntryPoint = "eventfd")]
    internal static partial int EventFd(uint initial, int flags);

    [LibraryImport("libc", EntryPoint = "read")]
    internal static partial nint Read(int descriptor, void* buffer, nuint length);

    [LibraryImport("libc", EntryPoint = "write")]
    internal static partial nint Write(int descriptor, void* buffer, nuint length);

    [LibraryImport("libc", EntryPoint = "close")]
    internal static partial int Close(int descriptor);

    [LibraryImport("libc", EntryPoint = "recv")]
    internal static partial nint Receive(int descriptor, void* buffer, nuint length, int flags);

    [LibraryImport("libc", EntryPoint = "send")]
    internal static partial nint Send(int descriptor, void* buffer, nuint length, int flags);

    [LibraryImport("libc", EntryPoint = "sendmsg")]
    internal static partial nint SendMessage(int descriptor, MessageHeader* message, int flags);

    [LibraryImport("libc", EntryPoint = "ioctl")]
    internal static partial int Control(int descriptor, nuint request, int* argument);

    /// <summary>
    /// Looks up what connections call, so that no later call is the first of its function: that allocates, and opens files to find the
    /// library, which a process that has run out of descriptors cannot.
    /// </summary>
    internal static void Resolve()
    {
        const int none = -1;
        byte at;
        int count;
        var message = default(MessageHeader);
        _ = Receive(none, &at, 0, MSG_DONTWAIT);
        _ = Send(none, &at, 0, MSG_DONTWAIT);
        _ = SendMessage(none, &message, MSG_DONTWAIT);
        _ = Control(none, FIONREAD, &count);
        _ = Read(none, &at, 0);
        _ = Write(none, &at, 0);
        _ = EpollWait(none, &at, 1, 0);
    }

    /// <summary>Asks for one of the counts that the kernel keeps of a socket.</summary>
    internal static bool TryGetCount(SafeSocketHandle socket, nuint request, out int count)
    {
        int answer = 0;
        bool isHeld = false;
        try
        {
            socket.DangerousAddRef(ref isHeld);
            bool known = Control((int)socket.DangerousGetHandle(), request, &answer) == 0;
            count = answer;
            return known;
        }
        finally
        {
            if (isHeld)
            {
                socket.DangerousRelease();
            }
        }
    }

    /// <summary>A <c>struct timespec</c> of a 64-bit system.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal struct TimeSpec
    {
        internal long Seconds;
        internal long Nanoseconds;
    }

    /// <summary>A <c>struct iovec</c>.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal struct IoVector
    {
        internal void* Base;
        internal nuint Length;
    }

    /// <summary>A <c>struct msghdr</c> of a 64-bit system; musl's narrower count lies in the same bytes.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal struct MessageHeader
    {
        internal void* Name;
        internal nuint NameLength;
        internal IoVector* Vectors;
        internal nuint VectorCount;
        internal void* Control;
        internal nuint ControlLength;
        internal nint Flags;
    }
}
