namespace Broker.LoadTest.Driver;

/// <summary>
/// Receives a stream of equal frames and counts its bytes until the PONG of a fence. The price per receive is one
/// comparison: the last bytes must be those of the frame at this place in the stream. Only when they are not, because a
/// PING (about 2 s after CONNECT), the PONG or an error line is among them, or because members of a queue group take
/// turns, are the bytes searched.
/// </summary>
internal sealed class Drain(RawConnection connection, byte[] frame, Tally tally)
{
    private const int Tail = 16;

    // Enough copies that the bytes before any place in the last one are at hand without wrapping round.
    private readonly byte[] _template = Repeat(frame, Tail);
    private readonly int _lead = ((Tail + frame.Length - 1) / frame.Length) * frame.Length;
    private int _held;
    private bool _fenced;

    /// <summary>Bytes of messages received so far; exact once <see cref="Run"/> has returned.</summary>
    public long Bytes { get; private set; }

    /// <summary>The text of an error line, if one came.</summary>
    public string? Error { get; private set; }

    public void Run()
    {
        byte[] buffer = connection.Buffer;
        while (!_fenced)
        {
            int read = connection.Receive(buffer.AsSpan(_held));
            if (read == 0)
            {
                tally.GiveUp(cut: true);
                return;
            }

            int count = read + _held;
            _held = 0;
            if (!EndsAsExpected(buffer.AsSpan(0, count)))
                count = WithoutControlLines(buffer.AsSpan(0, count));
            Bytes += count;
            tally.Add(count);
        }
    }

    private bool EndsAsExpected(ReadOnlySpan<byte> received)
    {
        int length = Math.Min(received.Length, Tail);
        int place = _lead + (int)((Bytes + received.Length) % frame.Length);
        return received[^length..].SequenceEqual(_template.AsSpan(place - length, length));
    }

    private int WithoutControlLines(Span<byte> received)
    {
        int count = received.Length;
        ReadOnlySpan<byte> rest = received;
        int at;
        while ((at = rest.IndexOf(Wire.ControlTail)) >= 0)
        {
            ReadOnlySpan<byte> line = at >= 2 ? rest.Slice(at - 2, Wire.Ping.Length) : default;
            if (line.SequenceEqual(Wire.Ping))
            {
                connection.AnswerPing();
                count -= line.Length;
            }
            else if (line.SequenceEqual(Wire.Pong))
            {
                _fenced = true;
                count -= line.Length;
            }

            rest = rest[(at + Wire.ControlTail.Length)..];
        }

        at = received.IndexOf(Wire.Error);
        if (at >= 0)
            Error = RawConnection.Show(received[at..]);

        // A control line cut by the end of the receive waits at the head of the buffer for its other half.
        _held = StartOfControlLine(rest);
        rest[^_held..].CopyTo(received);
        return count - _held;
    }

    private static int StartOfControlLine(ReadOnlySpan<byte> received)
    {
        int at = received.LastIndexOf((byte)'P');
        ReadOnlySpan<byte> end = at < 0 ? default : received[at..];
        return Wire.Ping.StartsWith(end) || Wire.Pong.StartsWith(end) ? end.Length : 0;
    }

    private static byte[] Repeat(byte[] frame, int tail)
    {
        int copies = ((tail + frame.Length - 1) / frame.Length) + 1;
        byte[] template = new byte[copies * frame.Length];
        for (int i = 0; i < copies; i++)
            frame.CopyTo(template, i * frame.Length);
        return template;
    }
}
