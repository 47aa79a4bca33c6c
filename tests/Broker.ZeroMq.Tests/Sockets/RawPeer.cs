using System.Net;
using System.Net.Sockets;
using System.Runtime.Versioning;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Sockets;

/// <summary>A client by TCP or a Unix socket that sends arbitrary bytes.</summary>
internal sealed class RawPeer : IDisposable
{
    private readonly Socket _socket;

    public RawPeer(ZeroMqEndpoint endpoint)
    {
        _socket = endpoint.IsIpc
            ? new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified)
            : new Socket(SocketType.Stream, ProtocolType.Tcp);
        _socket.ReceiveTimeout = _socket.SendTimeout = 120_000;
        _socket.Connect(endpoint.IsIpc ? endpoint.ToConnect() : new IPEndPoint(IPAddress.Loopback, endpoint.Port));
    }

    public RawPeer Send(params byte[][] parts)
    {
        long begin = Environment.TickCount64;
        try
        {
            foreach (byte[] part in parts)
            {
                _socket.Send(part);
            }
        }
        catch (SocketException e) when (
            e.SocketErrorCode is SocketError.ConnectionReset or SocketError.ConnectionAborted or SocketError.Shutdown
            || (e.SocketErrorCode == SocketError.TimedOut && Environment.TickCount64 - begin < _socket.SendTimeout / 2))
        {
            // A client that is disconnected while it sends notices it here or at its next read. The runtime sometimes
            // reports that as a timeout after some milliseconds if the send was waiting for room; a real timeout fails
            // the test.
        }

        return this;
    }

    public RawPeer Handshake(string type, byte minor = 1) => Send(Wire.Greeting(minor: minor), Wire.Ready(type));

    /// <summary>Shuts down the sending side and continues to read.</summary>
    public RawPeer EndSending()
    {
        try
        {
            _socket.Shutdown(SocketShutdown.Send);
        }
        catch (SocketException e) when (e.SocketErrorCode is SocketError.NotConnected or SocketError.ConnectionReset)
        {
            // The connection was closed before.
        }

        return this;
    }

    /// <summary>Everything the other side sends until it closes the connection.</summary>
    public byte[] ReadToEnd()
    {
        var all = new MemoryStream();
        byte[] buffer = new byte[65536];
        try
        {
            for (int got; (got = _socket.Receive(buffer)) != 0;)
            {
                all.Write(buffer, 0, got);
            }
        }
        catch (SocketException e) when (e.SocketErrorCode == SocketError.ConnectionReset)
        {
            // A client that is disconnected with bytes in transit sees a reset.
        }

        return all.ToArray();
    }

    /// <summary>This many bytes of what the other side sends, or fewer if it closes the connection.</summary>
    public RawPeer HearUpTo(int count)
    {
        byte[] buffer = new byte[count];
        try
        {
            for (int at = 0, got = 1; at < count && got != 0; at += got)
            {
                got = _socket.Receive(buffer, at, count - at, SocketFlags.None);
            }
        }
        catch (SocketException e) when (e.SocketErrorCode == SocketError.ConnectionReset)
        {
            // See ReadToEnd.
        }

        return this;
    }

    /// <summary>Whether bytes wait to be read.</summary>
    public bool HasReceived => _socket.Available > 0;

    public byte[] Read(int count)
    {
        byte[] buffer = new byte[count];
        for (int at = 0; at < count;)
        {
            int got = _socket.Receive(buffer, at, count - at, SocketFlags.None);
            Assert.NotEqual(0, got);
            at += got;
        }

        return buffer;
    }

    /// <summary>Vanishes without a word: nothing that is sent to it is acknowledged any more.</summary>
    [SupportedOSPlatform("linux")]
    public void Vanish() => _socket.Vanish();

    public void Dispose() => _socket.Dispose();
}
