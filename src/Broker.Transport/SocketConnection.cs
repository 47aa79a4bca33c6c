using System.Net;
using System.Net.Sockets;
using Broker.Transport.Linux;

namespace Broker.Transport;

/// <summary>A connected stream socket: what is common to the ways of waiting for it (see <see cref="Poller"/>).</summary>
internal abstract class SocketConnection : PullConnection
{
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
            // Gone before it was looked at: reading will say so.
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
            // Gone already, on some systems: reading will say so.
        }
    }

    private protected override void ShutdownSend()
    {
        try
        {
            Socket.Shutdown(SocketShutdown.Send);
        }
        catch (SocketException)
        {
            // The peer was faster; its reset will end the connection.
        }
    }

    // Other systems do not say what is on its way.
    private protected override bool HasUnacknowledged()
        => !OperatingSystem.IsLinux() || !LibC.TryGetCount(Socket.SafeHandle, LibC.SIOCOUTQ, out int count) || count != 0;

    private protected override bool HasUnread()
        => !OperatingSystem.IsLinux() || !LibC.TryGetCount(Socket.SafeHandle, LibC.FIONREAD, out int count) || count != 0;

    /// <summary>Gives back a connection that its group did not take.</summary>
    internal void Abandon() => ReleaseTransport();

    /// <summary>The connection was taken from a budget, which gets it back when the socket is closed. Before it is opened.</summary>
    internal void CountAgainst(ConnectionBudget? budget) => _budget = budget;

    private protected override void ReleaseTransport()
    {
        Socket.Dispose();
        _budget?.Release();
        _budget = null;
    }
}
