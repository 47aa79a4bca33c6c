using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Broker.Transport;

/// <summary>
/// The functions of the C library that the Linux transport needs. All arguments are blittable, and no function throws.
/// </summary>
/// <remarks>
/// <para>Read the error number with <see cref="Marshal.GetLastSystemError"/> directly after a call. Receiving and
/// sending copy bytes for microseconds. So these calls must not suppress the transition that lets the garbage collector
/// run.</para>
/// <para>The functions are called by pointer, and not through <see cref="DllImportAttribute"/>. An import is resolved
/// at its first call, and again when this call is compiled into its caller. This would allocate memory in the middle of
/// the traffic. The first import would also open files, which a process without free descriptors cannot do. Every C
/// library on which the process may run has these functions.</para>
/// </remarks>
internal static unsafe class LibC
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

    // These values are for x86, Arm and most other architectures. On an architecture with other values, the call fails.
    internal const nuint FIONREAD = 0x541B;
    internal const nuint SIOCOUTQ = 0x5411;

    // The number of this system call is the same on all architectures.
    internal const nint SYS_epoll_pwait2 = 441;

    internal const int SO_TYPE = 3;
    internal const int SO_ACCEPTCONN = 30;
    internal const int SOCK_STREAM = 1;
    internal const int FD_CLOEXEC = 1;

    private const int SOL_SOCKET = 1;
    private const int F_SETFD = 2;

    internal const int MSG_PEEK = 0x02;
    internal const int MSG_DONTWAIT = 0x40;
    internal const int MSG_NOSIGNAL = 0x4000;

    private static readonly nint EpollCreateFunction = Symbol("epoll_create1");
    private static readonly nint EpollControlFunction = Symbol("epoll_ctl");
    private static readonly nint EpollWaitFunction = Symbol("epoll_wait");
    private static readonly nint SystemCallFunction = Symbol("syscall");
    private static readonly nint EventFdFunction = Symbol("eventfd");
    private static readonly nint ReadFunction = Symbol("read");
    private static readonly nint WriteFunction = Symbol("write");
    private static readonly nint CloseFunction = Symbol("close");
    private static readonly nint ReceiveFunction = Symbol("recv");
    private static readonly nint SendFunction = Symbol("send");
    private static readonly nint SendMessageFunction = Symbol("sendmsg");
    private static readonly nint ControlFunction = Symbol("ioctl");
    private static readonly nint DescriptorControlFunction = Symbol("fcntl");
    private static readonly nint SocketOptionFunction = Symbol("getsockopt");

    internal static int EpollCreate(int flags)
        => ((delegate* unmanaged<int, int>)EpollCreateFunction)(flags);

    internal static int EpollControl(int epoll, int operation, int descriptor, byte* epollEvent)
        => ((delegate* unmanaged<int, int, int, byte*, int>)EpollControlFunction)(epoll, operation, descriptor, epollEvent);

    internal static int EpollWait(int epoll, byte* events, int most, int milliseconds)
        => ((delegate* unmanaged<int, byte*, int, int, int>)EpollWaitFunction)(epoll, events, most, milliseconds);

    /// <summary>
    /// Calls epoll_pwait2 by its number. Linux has this system call since 5.11, but only newer C libraries have a
    /// function for it.
    /// </summary>
    internal static nint EpollWait2(
        nint number, nint epoll, byte* events, nint most, TimeSpec* time, void* signals, nint signalsSize)
        => ((delegate* unmanaged<nint, nint, byte*, nint, TimeSpec*, void*, nint, nint>)SystemCallFunction)(
            number, epoll, events, most, time, signals, signalsSize);

    internal static int EventFd(uint initial, int flags)
        => ((delegate* unmanaged<uint, int, int>)EventFdFunction)(initial, flags);

    internal static nint Read(int descriptor, void* buffer, nuint length)
        => ((delegate* unmanaged<int, void*, nuint, nint>)ReadFunction)(descriptor, buffer, length);

    internal static nint Write(int descriptor, void* buffer, nuint length)
        => ((delegate* unmanaged<int, void*, nuint, nint>)WriteFunction)(descriptor, buffer, length);

    internal static int Close(int descriptor)
        => ((delegate* unmanaged<int, int>)CloseFunction)(descriptor);

    internal static nint Receive(int descriptor, void* buffer, nuint length, int flags)
        => ((delegate* unmanaged<int, void*, nuint, int, nint>)ReceiveFunction)(descriptor, buffer, length, flags);

    internal static nint Send(int descriptor, void* buffer, nuint length, int flags)
        => ((delegate* unmanaged<int, void*, nuint, int, nint>)SendFunction)(descriptor, buffer, length, flags);

    internal static nint SendMessage(int descriptor, MessageHeader* message, int flags)
        => ((delegate* unmanaged<int, MessageHeader*, int, nint>)SendMessageFunction)(descriptor, message, flags);

    internal static int Control(int descriptor, nuint request, int* argument)
        => ((delegate* unmanaged<int, nuint, int*, int>)ControlFunction)(descriptor, request, argument);

    internal static int SetDescriptorFlags(int descriptor, int flags)
        => ((delegate* unmanaged<int, int, int, int>)DescriptorControlFunction)(descriptor, F_SETFD, flags);

    /// <summary>Reads an integer option of a socket. Returns false if the descriptor is not a socket.</summary>
    internal static bool TryGetSocketOption(int descriptor, int option, out int value)
    {
        int answer = 0;
        uint length = sizeof(int);
        bool known = ((delegate* unmanaged<int, int, int, int*, uint*, int>)SocketOptionFunction)(descriptor, SOL_SOCKET, option, &answer, &length) == 0;
        value = answer;
        return known;
    }

    /// <summary>Reads one of the byte counts that the kernel keeps for a socket.</summary>
    internal static bool TryGetCount(SafeSocketHandle socket, nuint request, out int count)
    {
        int answer = 0;
        bool addedRef = false;
        try
        {
            socket.DangerousAddRef(ref addedRef);
            bool known = Control((int)socket.DangerousGetHandle(), request, &answer) == 0;
            count = answer;
            return known;
        }
        finally
        {
            if (addedRef)
            {
                socket.DangerousRelease();
            }
        }
    }

    private static nint Symbol(string name) => NativeLibrary.GetExport(NativeLibrary.GetMainProgramHandle(), name);

    /// <summary>The <c>struct timespec</c> of a 64-bit system.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal struct TimeSpec
    {
        internal long Seconds;
        internal long Nanoseconds;
    }

    /// <summary>The <c>struct iovec</c>.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal struct IoVector
    {
        internal void* Base;
        internal nuint Length;
    }

    /// <summary>
    /// The <c>struct msghdr</c> of a 64-bit system. In musl the count is narrower, but it is in the same bytes.
    /// </summary>
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
