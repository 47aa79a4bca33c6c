using System.Net;
using System.Net.Sockets;

namespace Broker.Transport;

/// <summary>
/// A connected stream socket. This class contains the code that is the same for all pollers (see <see cref="Poller"/>).
/// </summary>
internal abstract class SocketConnection : PullConnection
{
    private const int Ipv6Level = 41;
    private const int Ipv6TrafficClass = 67;

    private readonly EndPoint? _remote;
    private ConnectionBudget? _budget;

    private protected SocketConnection(EventLoop loop, Socket socket, ConnectionHandler handler)
        : base(loop, handler)
    {
        Socket = socket;
        try
        {
            _remote = socket.RemoteEndPoint;
        }
        catch (SocketException)
        {
            // The peer has already closed the connection. The next read reports this.
        }
    }

    public override EndPoint? RemoteEndPoint => _remote;

    private protected Socket Socket { get; }

    public override void KeepAlive(TimeSpan idle, TimeSpan interval, int probes)
    {
        if (Socket.ProtocolType != ProtocolType.Tcp)
        {
            return;
        }

        try
        {
            Socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.KeepAlive, true);
            Socket.SetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveTime, Math.Max((int)idle.TotalSeconds, 1));
            Socket.SetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveInterval, Math.Max((int)interval.TotalSeconds, 1));
            Socket.SetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveRetryCount, probes);
        }
        catch (SocketException)
        {
            // On some systems the option fails if the peer has closed the connection. The next read reports this.
        }
    }

    public override void Tune(int? sendBuffer, int? receiveBuffer, int? typeOfService)
    {
        try
        {
            if (sendBuffer is { } send)
            {
                Socket.SendBufferSize = send;
            }

            if (receiveBuffer is { } receive)
            {
                Socket.ReceiveBufferSize = receive;
            }

            if (typeOfService is { } service && Socket.ProtocolType == ProtocolType.Tcp)
            {
                SetTypeOfService(service);
            }
        }
        catch (SocketException)
        {
            // As with the keep-alive: the next read reports a peer that has gone.
        }
    }

    public override void DetectVanished(TimeSpan timeout)
    {
        if (Socket.ProtocolType == ProtocolType.Tcp)
        {
            TcpPeer.LimitRetransmissions(Socket, timeout);
        }
    }

    private void SetTypeOfService(int service)
    {
        if (OperatingSystem.IsLinux() && Socket.AddressFamily == AddressFamily.InterNetworkV6)
        {
            // The base library has no name for IPV6_TCLASS. Packets of IPv4 peers still use IP_TOS.
            Socket.SetRawSocketOption(Ipv6Level, Ipv6TrafficClass, BitConverter.GetBytes(service));
        }

        Socket.SetSocketOption(SocketOptionLevel.IP, SocketOptionName.TypeOfService, service);
    }

    public override bool HasVanished(TimeSpan timeout)
        => Socket.ProtocolType == ProtocolType.Tcp && TcpPeer.HasVanished(Socket, timeout);

    public override void ShutdownSend()
    {
        try
        {
            Socket.Shutdown(SocketShutdown.Send);
        }
        catch (SocketException)
        {
            // The peer has already reset the connection. The next read reports this.
        }
    }

    // Only Linux reports the number of unacknowledged bytes.
    public override bool HasUnacknowledged()
        => !OperatingSystem.IsLinux() || !LibC.TryGetCount(Socket.SafeHandle, LibC.SIOCOUTQ, out int count) || count != 0;

    public override bool HasUnread()
        => !OperatingSystem.IsLinux() || !LibC.TryGetCount(Socket.SafeHandle, LibC.FIONREAD, out int count) || count != 0;

    /// <summary>Releases a connection that the group did not accept.</summary>
    internal void Abandon() => ReleaseTransport();

    /// <summary>
    /// Sets the budget against which this connection counts. Closing the socket releases the permission. Called before
    /// the connection is opened.
    /// </summary>
    internal void CountAgainst(ConnectionBudget? budget) => _budget = budget;

    public override void ReleaseTransport()
    {
        Socket.Dispose();
        _budget?.Release();
        _budget = null;
    }
}
