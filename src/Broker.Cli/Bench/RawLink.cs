using System.Net.Sockets;

namespace Broker.Cli.Bench;

/// <summary>
/// A blocking connection after the handshake of a client. One thread may send while another receives. It is never used
/// asynchronously, so that each call is one system call: what is measured is the server, not the driver.
/// </summary>
internal sealed class RawLink : IDisposable
{
    private readonly Stream _stream;
    private readonly Lock _sending = new();
    private readonly TimeSpan _silence;
    private ReadOnlyMemory<byte> _unread;
    private volatile bool _pongIsOwed;

    /// <param name="stream">The connection, which this object closes.</param>
    /// <param name="unread">The bytes that the server has sent behind its part of the handshake.</param>
    /// <param name="silence">How long the server may accept no bytes.</param>
    public RawLink(Stream stream, ReadOnlyMemory<byte> unread, TimeSpan silence)
    {
        _stream = stream;
        _unread = unread;
        _silence = silence;
    }

    /// <summary>How long a receive waits at most. By default it waits for as long as the connection lives.</summary>
    public TimeSpan ReceiveTimeout
    {
        set => _stream.ReadTimeout = (int)value.TotalMilliseconds;
    }

    /// <exception cref="IOException">The connection was lost.</exception>
    public void Send(ReadOnlySpan<byte> bytes)
    {
        lock (_sending)
        {
            Write(bytes);
            if (_pongIsOwed)
            {
                _pongIsOwed = false;
                Write("PONG\r\n"u8);
            }
        }
    }

    /// <summary>
    /// Answers a PING. If another thread is sending, that thread sends the answer: waiting for it would stop the receives
    /// that the server may need to go on.
    /// </summary>
    /// <exception cref="IOException">The connection was lost.</exception>
    public void AnswerPing()
    {
        _pongIsOwed = true;
        if (!_sending.TryEnter())
        {
            return;
        }

        try
        {
            if (_pongIsOwed)
            {
                _pongIsOwed = false;
                Write("PONG\r\n"u8);
            }
        }
        finally
        {
            _sending.Exit();
        }
    }

    /// <summary>Receives once. Returns 0 if nothing came in <see cref="ReceiveTimeout"/>.</summary>
    /// <exception cref="IOException">The connection was lost.</exception>
    public int Receive(Span<byte> into)
    {
        if (!_unread.IsEmpty)
        {
            int count = Math.Min(into.Length, _unread.Length);
            _unread.Span[..count].CopyTo(into);
            _unread = _unread[count..];
            return count;
        }

        try
        {
            int received = _stream.Read(into);
            return received > 0 ? received : throw Lost("The server closed the connection.", null);
        }
        catch (IOException e) when (e.InnerException is SocketException { SocketErrorCode: SocketError.TimedOut })
        {
            return 0;
        }
        catch (IOException e) when (e.InnerException is not null)
        {
            throw Lost(e.InnerException.Message, e);
        }
        catch (ObjectDisposedException e)
        {
            throw Lost("The connection was closed.", e);
        }
    }

    public void Dispose() => _stream.Dispose();

    private void Write(ReadOnlySpan<byte> bytes)
    {
        try
        {
            _stream.Write(bytes);
        }
        catch (IOException e) when (e.InnerException is SocketException { SocketErrorCode: SocketError.TimedOut })
        {
            throw Lost(string.Create(System.Globalization.CultureInfo.InvariantCulture, $"The server has read nothing for {_silence.TotalSeconds:0.#} s."), e);
        }
        catch (Exception e) when (e is IOException or ObjectDisposedException)
        {
            throw Lost(e.InnerException?.Message ?? "The connection was closed.", e);
        }
    }

    private static IOException Lost(string reason, Exception? cause) => new($"the connection to the server was lost: {reason}", cause);
}
