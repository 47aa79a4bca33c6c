using System.Buffers.Text;

namespace Broker.LoadTest.Driver;

/// <summary>
/// Reads MSG frames of any subject one by one for verification. It replies to PINGs, and the PONG of a fence ends the
/// stream.
/// </summary>
internal sealed class FrameReader(RawConnection connection)
{
    private int _length;

    /// <summary>
    /// The current frame from its verb to the CRLF after its payload, valid until the next <see cref="Read"/>.
    /// </summary>
    public ReadOnlySpan<byte> Frame => connection.Unread[.._length];

    public int PayloadSize { get; private set; }

    /// <summary>Reads the next frame. Returns false at the PONG.</summary>
    public bool Read()
    {
        connection.Consume(_length);
        _length = 0;
        while (true)
        {
            int line = connection.NeedLine();
            ReadOnlySpan<byte> text = connection.Unread[..line];
            if (text.SequenceEqual(Wire.Pong))
            {
                connection.Consume(line);
                return false;
            }

            if (text.SequenceEqual(Wire.Ping))
            {
                connection.Consume(line);
                connection.AnswerPing();
                continue;
            }

            ReadOnlySpan<byte> last = text[(text.LastIndexOf((byte)' ') + 1)..^Wire.Crlf.Length];
            if (!text.StartsWith(Wire.Message) || !Utf8Parser.TryParse(last, out int size, out int used) || used != last.Length
                || (uint)size > connection.Buffer.Length - line - Wire.Crlf.Length)
            {
                throw new DriverException($"Expected a message and received '{RawConnection.Show(text)}'.");
            }

            connection.Need(line + size + Wire.Crlf.Length);
            PayloadSize = size;
            _length = line + size + Wire.Crlf.Length;
            return true;
        }
    }
}
