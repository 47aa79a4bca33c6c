namespace Broker.LoadTest.Driver;

/// <summary>
/// Receives a stream of known bytes and counts them until the PONG of a fence. The cost per receive is one comparison:
/// the last bytes must be those of the frames at this position. The bytes are only searched if they differ, because a
/// PING (about 2 s after CONNECT), the PONG or an error line is among them, or because several publishers or members of
/// a queue group alternate.
/// </summary>
/// <param name="connection">The connection to read from.</param>
/// <param name="frames">The expected frames, which repeat.</param>
/// <param name="tally">The tally that stops the clock.</param>
/// <param name="isOrdered">
/// Whether the frames arrive in this order. Then other bytes that are not control lines are an error.
/// </param>
/// <param name="pace">The speed of a slow reader; null for one that reads as fast as it can.</param>
internal sealed class Drain(RawConnection connection, ReadOnlyMemory<byte> frames, Tally tally, bool isOrdered = true, Pace? pace = null)
{
    private const int Tail = 16;

    // The frames, repeated until the bytes before any position are within one copy before it at most.
    private readonly ReadOnlyMemory<byte> _cycle = Repeat(frames, Tail);
    private int _held;
    private bool _fenced;

    /// <summary>The number of received message bytes. It is exact when <see cref="Run"/> has returned.</summary>
    public long Bytes { get; private set; }

    /// <summary>Whether the server has closed the connection before the PONG.</summary>
    public bool WasClosed { get; private set; }

    /// <summary>The text of a received error line; null if there is none.</summary>
    public string? Error { get; private set; }

    public void Run()
    {
        byte[] buffer = connection.Buffer;
        while (!_fenced)
        {
            int read = connection.Receive(buffer.AsSpan(_held));
            if (read == 0)
            {
                WasClosed = true;
                tally.GiveUp(cut: true);
                return;
            }

            int count = read + _held;
            _held = 0;
            if (!EndsAsExpected(buffer.AsSpan(0, count)))
            {
                int all = count;
                count = WithoutControlLines(buffer.AsSpan(0, count));
                if (isOrdered && count == all)
                {
                    Error ??= RawConnection.Show(buffer.AsSpan(Math.Max(0, all - Tail), Math.Min(all, Tail)));
                }
            }

            Bytes += count;
            tally.Add(count);
            pace?.Wait(Bytes);
        }
    }

    private bool EndsAsExpected(ReadOnlySpan<byte> received)
    {
        ReadOnlySpan<byte> cycle = _cycle.Span;
        ReadOnlySpan<byte> tail = received[^Math.Min(received.Length, Tail)..];
        int place = (int)((Bytes + received.Length) % cycle.Length);
        int before = tail.Length - place;
        return before <= 0
            ? tail.SequenceEqual(cycle[(place - tail.Length)..place])
            : tail[..before].SequenceEqual(cycle[^before..]) && tail[before..].SequenceEqual(cycle[..place]);
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
        {
            Error = RawConnection.Show(received[at..]);
        }

        // An incomplete control line at the end is moved to the start of the buffer and completed by the next receive.
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

    private static ReadOnlyMemory<byte> Repeat(ReadOnlyMemory<byte> frames, int tail)
    {
        if (frames.Length >= tail)
        {
            return frames;
        }

        int copies = (tail + frames.Length - 1) / frames.Length;
        byte[] repeated = new byte[copies * frames.Length];
        for (int i = 0; i < copies; i++)
        {
            frames.CopyTo(repeated.AsMemory(i * frames.Length));
        }

        return repeated;
    }
}
