using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Broker.LoadTest.Driver;

/// <summary>
/// One blocking socket that has shaken hands. It is never used asynchronously, so every call is one system call.
/// One thread may send while another receives; the buffer belongs to the receiving thread.
/// </summary>
internal sealed partial class RawConnection : IDisposable
{
    // Long enough for any row; a server that is silent for so long has lost messages.
    private const int SilenceMilliseconds = 20_000;

    private readonly Socket _socket;
    private readonly Lock _sending = new();
    private volatile bool _pongOwed;

    private RawConnection(Socket socket, byte[] buffer)
    {
        _socket = socket;
        Buffer = buffer;
    }

    public byte[] Buffer { get; }

    /// <summary>The JSON of the server's INFO line.</summary>
    public string Info { get; private set; } = "";

    public static RawConnection Dial(IPEndPoint endPoint, byte[] buffer)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp)
        {
            NoDelay = true,
            ReceiveTimeout = SilenceMilliseconds,
            SendTimeout = SilenceMilliseconds,
        };
        try
        {
            socket.Connect(endPoint);
            var connection = new RawConnection(socket, buffer);
            ReadOnlySpan<byte> info = connection.ReadLine();
            if (!info.StartsWith(Wire.Info))
                throw new DriverException("The server's first line is not INFO.");
            connection.Info = Encoding.UTF8.GetString(info[Wire.Info.Length..]).Trim();
            connection.Send(Wire.Hello);
            connection.AwaitPong();
            return connection;
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    public void Send(ReadOnlySpan<byte> bytes)
    {
        lock (_sending)
        {
            SendAll(bytes);
            if (_pongOwed)
            {
                _pongOwed = false;
                SendAll(Wire.Pong);
            }
        }
    }

    /// <summary>
    /// Answers a PING from the receiving thread. Where the other thread is in the middle of a block it sends the PONG
    /// after it: waiting here would stop the drain, and bytes of two sends can mix in a full socket.
    /// </summary>
    public void AnswerPing()
    {
        _pongOwed = true;
        if (!_sending.TryEnter())
            return;
        try
        {
            _pongOwed = false;
            SendAll(Wire.Pong);
        }
        finally
        {
            _sending.Exit();
        }
    }

    /// <summary>Sends PING and reads up to its PONG: everything sent before has been processed, and nothing else came.</summary>
    public void Fence()
    {
        Send(Wire.Ping);
        AwaitPong();
    }

    /// <summary>Ends the reading of another thread; the buffer stays in use until that thread has gone.</summary>
    public void Close()
    {
        try
        {
            _socket.Shutdown(SocketShutdown.Both);
        }
        catch (SocketException)
        {
            // The peer was faster.
        }

        _socket.Close();
    }

    public void Dispose() => _socket.Dispose();

    /// <summary>Receives once; 0 when the server has closed the connection.</summary>
    public int Receive(Span<byte> into)
    {
        try
        {
            return _socket.Receive(into);
        }
        catch (SocketException e) when (e.SocketErrorCode is SocketError.ConnectionReset or SocketError.ConnectionAborted or SocketError.Shutdown)
        {
            return 0;
        }
        catch (ObjectDisposedException)
        {
            return 0;
        }
        catch (SocketException e) when (e.SocketErrorCode is SocketError.TimedOut)
        {
            throw new DriverException($"Nothing was received for {SilenceMilliseconds / 1000} s.", e);
        }
    }

    private void SendAll(ReadOnlySpan<byte> bytes)
    {
        try
        {
            while (!bytes.IsEmpty)
                bytes = bytes[_socket.Send(bytes)..];
        }
        catch (SocketException e) when (e.SocketErrorCode is SocketError.TimedOut)
        {
            throw new DriverException($"The server read nothing for {SilenceMilliseconds / 1000} s.", e);
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            throw new ConnectionCutException("The connection was closed while sending.", e);
        }
    }
}
