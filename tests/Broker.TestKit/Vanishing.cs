using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Broker.TestKit;

/// <summary>Lets a peer vanish as if its cable was pulled.</summary>
public static class Vanishing
{
    private const int SocketLevel = 1;
    private const int AttachFilter = 26;

    // The classic BPF instruction "return 0", which drops each packet.
    private const long DropAll = 0x0006;

    /// <summary>
    /// From now on, the kernel drops each packet for this socket before TCP sees it, so that nothing is acknowledged.
    /// </summary>
    [SupportedOSPlatform("linux")]
    public static void Vanish(this Socket socket)
    {
        ArgumentNullException.ThrowIfNull(socket);
        nint program = Marshal.AllocHGlobal(sizeof(long));
        try
        {
            Marshal.WriteInt64(program, DropAll);
            // struct sock_fprog: the number of instructions, and their address.
            nint[] filter = [1, program];
            socket.SetRawSocketOption(SocketLevel, AttachFilter, MemoryMarshal.AsBytes(filter.AsSpan()));
        }
        finally
        {
            Marshal.FreeHGlobal(program);
        }
    }
}
