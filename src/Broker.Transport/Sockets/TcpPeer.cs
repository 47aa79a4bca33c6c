using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Broker.Transport;

/// <summary>
/// Distinguishes a peer that has vanished from a slow peer. It uses what the kernel knows about the peer's
/// acknowledgements.
/// </summary>
/// <remarks>
/// <c>TCP_USER_TIMEOUT</c> cannot distinguish them. Since Linux 5.11, it also ends a connection to a peer that
/// acknowledges every probe and only accepts no data.
/// </remarks>
internal static class TcpPeer
{
    private const int LinuxTcpInfo = 11;
    private const int LinuxTcpMaxRetransmissionWait = 44;
    private const int WindowsTcpMaxRetransmissionTime = 5;

    // The offsets of members of struct tcp_info. They are the same on all architectures.
    private const int Retransmissions = 2;
    private const int Probes = 3;
    private const int LastAcknowledgement = 56;
    private const int InfoSize = 60;

    // One attempt is not enough: the kernel may have sent it a moment ago, and the answer may be on its way.
    private const int LeastAttempts = 2;

    /// <summary>See <see cref="Connection.DetectVanished"/>.</summary>
    internal static void LimitRetransmissions(Socket socket, TimeSpan timeout)
    {
        try
        {
            if (OperatingSystem.IsLinux())
            {
                int wait = (int)Math.Clamp(timeout.TotalMilliseconds / 3, 1000, 120_000);
                SetTcpOption(socket, LinuxTcpMaxRetransmissionWait, wait);
            }
            else if (OperatingSystem.IsWindows())
            {
                int seconds = (int)Math.Clamp(Math.Ceiling(timeout.TotalSeconds), 1, int.MaxValue);
                SetTcpOption(socket, WindowsTcpMaxRetransmissionTime, seconds);
            }
        }
        catch (SocketException)
        {
            // An older system does not know the option, or the peer has closed the connection.
        }
    }

    /// <summary>See <see cref="Connection.HasVanished"/>.</summary>
    internal static bool HasVanished(Socket socket, TimeSpan timeout)
    {
        if (!OperatingSystem.IsLinux())
        {
            return false;
        }

        Span<byte> info = stackalloc byte[InfoSize];
        try
        {
            if (socket.GetRawSocketOption((int)SocketOptionLevel.Tcp, LinuxTcpInfo, info) < InfoSize)
            {
                return false;
            }
        }
        catch (SocketException)
        {
            return false;
        }

        return Math.Max(info[Retransmissions], info[Probes]) >= LeastAttempts
            && MemoryMarshal.Read<uint>(info[LastAcknowledgement..]) >= timeout.TotalMilliseconds;
    }

    private static void SetTcpOption(Socket socket, int option, int value) => socket.SetRawSocketOption(
        (int)SocketOptionLevel.Tcp, option, MemoryMarshal.AsBytes(new ReadOnlySpan<int>(ref value)));
}
