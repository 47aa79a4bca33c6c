using System.Net.Sockets;
using System.Text;

namespace Broker.LoadTest.Driver;

/// <summary>
/// Buffered reading for handshakes, lock-step rows and verification; counting rows use <see cref="Drain"/>.
/// </summary>
internal sealed partial class RawConnection
{
    private int _start;
    private int _end;

    /// <summary>The bytes received and not yet consumed.</summary>
    public ReadOnlySpan<byte> Unread => Buffer.AsSpan(_start, _end - _start);

    public void Consume(int count) => _start += count;

    /// <summary>Waits until there is something to read; false if nothing arrives in time.</summary>
    public bool Poll(TimeSpan limit) => _end > _start || _stream.Socket.Poll(limit, SelectMode.SelectRead);

    /// <summary>Receives until at least <paramref name="count"/> unread bytes are available.</summary>
    public void Need(int count)
    {
        while (_end - _start < count)
        {
            Fill();
        }
    }

    /// <summary>Reads the next line without its CRLF. The result is valid until the next read.</summary>
    public ReadOnlySpan<byte> ReadLine()
    {
        int length = NeedLine();
        ReadOnlySpan<byte> line = Unread[..(length - Wire.Crlf.Length)];
        Consume(length);
        return line;
    }

    /// <summary>Receives until a whole line is available, and returns its length with its CRLF.</summary>
    public int NeedLine()
    {
        int searched = 0;
        while (true)
        {
            ReadOnlySpan<byte> unread = Unread;
            int at = unread[searched..].IndexOf(Wire.Crlf);
            if (at >= 0)
            {
                return searched + at + Wire.Crlf.Length;
            }

            searched = Math.Max(0, unread.Length - 1);
            Fill();
        }
    }

    /// <summary>Receives exactly this frame and replies to a PING before it.</summary>
    public void Expect(ReadOnlySpan<byte> frame)
    {
        Need(1);
        if (Buffer[_start] != frame[0])
        {
            PassPings(frame[0]);
        }

        Need(frame.Length);
        if (!Unread[..frame.Length].SequenceEqual(frame))
        {
            throw new DriverException($"Expected '{Show(frame)}' and received '{Show(Unread[..frame.Length])}'.");
        }

        _start += frame.Length;
    }

    private void PassPings(byte first)
    {
        do
        {
            Need(Wire.Ping.Length);
            if (!Unread.StartsWith(Wire.Ping))
            {
                return;
            }

            _start += Wire.Ping.Length;
            AnswerPing();
            Need(1);
        }
        while (Buffer[_start] != first);
    }

    /// <summary>Reads the PONG of a PING that was sent before. Nothing else may arrive before it.</summary>
    public void AwaitPong()
    {
        while (true)
        {
            ReadOnlySpan<byte> line = ReadLine();
            if (line.SequenceEqual("PONG"u8))
            {
                return;
            }

            if (line.SequenceEqual("PING"u8))
            {
                AnswerPing();
            }
            else
            {
                throw new DriverException($"Expected PONG and received '{Show(line)}'.");
            }
        }
    }

    private void Fill()
    {
        if (_start == _end)
        {
            _start = _end = 0;
        }
        else if (_end == Buffer.Length)
        {
            if (_start == 0)
            {
                throw new DriverException("A line or frame does not fit the driver's buffer.");
            }

            Buffer.AsSpan(_start, _end - _start).CopyTo(Buffer);
            _end -= _start;
            _start = 0;
        }

        int read = Receive(Buffer.AsSpan(_end));
        if (read == 0)
        {
            throw new ConnectionCutException("The server closed the connection.");
        }

        _end += read;
    }

    internal static string Show(ReadOnlySpan<byte> bytes)
    {
        string text = Encoding.Latin1.GetString(bytes[..Math.Min(bytes.Length, 60)]);
        return text.Replace("\r", "\\r", StringComparison.Ordinal).Replace("\n", "\\n", StringComparison.Ordinal);
    }
}
