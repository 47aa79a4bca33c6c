using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Broker.LoadTest.Driver;

/// <summary>
/// A blocking socket after the handshake. It is never used asynchronously, so every call is one system call. One thread
/// may send while another receives. The receiving thread owns the buffer.
/// </summary>
internal sealed partial class RawConnection : IDisposable
{
    // This time-out is long enough for any row. A server that sends nothing for so long has lost messages.
    private const int SilenceMilliseconds = 20_000;

    private ByteStream _stream;
    private readonly Lock _sending = new();
    private volatile bool _pongOwed;

    private RawConnection(ByteStream stream, byte[] buffer)
    {
        _stream = stream;
        Buffer = buffer;
    }

    public byte[] Buffer { get; }

    /// <summary>The JSON of the server's INFO line.</summary>
    public string Info { get; private set; } = "";

    /// <summary>
    /// Connects and performs the handshake. <paramref name="from"/> is the local address: one address has ports for
    /// some 28,000 connections only.
    /// </summary>
    public static RawConnection Dial(ServerAddress server, byte[] buffer, IPAddress? from = null)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp)
        {
            NoDelay = true,
            ReceiveTimeout = SilenceMilliseconds,
            SendTimeout = SilenceMilliseconds,
        };
        try
        {
            if (from is not null)
            {
                socket.Bind(new IPEndPoint(from, 0));
            }

            socket.Connect(server.EndPoint);
            var connection = new RawConnection(new ByteStream(socket), buffer);
            ReadOnlySpan<byte> info = connection.ReadLine();
            if (!info.StartsWith(Wire.Info))
            {
                throw new DriverException("The server's first line is not INFO.");
            }

            connection.Info = Encoding.UTF8.GetString(info[Wire.Info.Length..]).Trim();
            if (server.Certificate is not null)
            {
                connection._stream = new TlsByteStream(socket, server.Certificate);
            }

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

    /// <summary>The timeout of a receive. After it, the server has lost messages.</summary>
    public void SetReceiveTimeout(TimeSpan timeout) => _stream.Socket.ReceiveTimeout = (int)timeout.TotalMilliseconds;

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
    /// Replies to a PING on the receiving thread. If the other thread is sending a block, that thread sends the PONG
    /// after the block: waiting here would stop receiving, and bytes of two sends could mix if the socket is full.
    /// </summary>
    public void AnswerPing()
    {
        _pongOwed = true;
        if (!_sending.TryEnter())
        {
            return;
        }

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

    /// <summary>
    /// Sends PING and reads its PONG. Everything sent before has been processed then, and nothing else may arrive.
    /// </summary>
    public void Fence()
    {
        Send(Wire.Ping);
        AwaitPong();
    }

    /// <summary>Ends a receive of another thread. The buffer stays in use until that thread has ended.</summary>
    public void Close()
    {
        try
        {
            _stream.Socket.Shutdown(SocketShutdown.Both);
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // The peer has closed the connection, or this side has reset it already.
        }

        _stream.Socket.Close();
    }

    /// <summary>Closes the connection with a TCP reset. Bytes that were not received are lost.</summary>
    public void Reset()
    {
        _stream.Socket.LingerState = new LingerOption(enable: true, seconds: 0);
        _stream.Socket.Close();
    }

    public void Dispose() => _stream.Dispose();

    /// <summary>Receives once. Returns 0 if the server has closed the connection.</summary>
    public int Receive(Span<byte> into)
    {
        try
        {
            return _stream.Receive(into);
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
            throw new DriverException($"Nothing was received for {_stream.Socket.ReceiveTimeout / 1000} s.", e);
        }
    }

    private void SendAll(ReadOnlySpan<byte> bytes)
    {
        try
        {
            while (!bytes.IsEmpty)
            {
                bytes = bytes[_stream.Send(bytes)..];
            }
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
