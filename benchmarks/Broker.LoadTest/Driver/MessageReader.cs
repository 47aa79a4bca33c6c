using System.Buffers.Text;

namespace Broker.LoadTest.Driver;

/// <summary>
/// Reads MSG frames one by one for verification. It replies to PINGs, and the PONG of a fence ends the stream.
/// </summary>
internal sealed class MessageReader(RawConnection connection, byte[] subject)
{
    private int _consumeFirst;

    public int Sid { get; private set; }

    /// <summary>The payload of the current message, valid until the next <see cref="Read"/>.</summary>
    public ReadOnlySpan<byte> Payload => connection.Unread[..(_consumeFirst - 2)];

    /// <summary>
    /// Reads the next message. Returns false at the PONG. Anything but a MSG with this subject and without a reply
    /// subject is an error.
    /// </summary>
    public bool Read()
    {
        connection.Consume(_consumeFirst);
        _consumeFirst = 0;
        while (true)
        {
            ReadOnlySpan<byte> line = connection.ReadLine();
            if (line.SequenceEqual("PONG"u8))
            {
                return false;
            }

            if (line.SequenceEqual("PING"u8))
            {
                connection.AnswerPing();
                continue;
            }

            int size = ParseMessage(line);
            connection.Need(size + 2);
            if (!connection.Unread.Slice(size, 2).SequenceEqual(Wire.Crlf))
            {
                throw new DriverException("A payload does not end in CRLF.");
            }

            _consumeFirst = size + 2;
            return true;
        }
    }

    private int ParseMessage(ReadOnlySpan<byte> line)
    {
        if (line.StartsWith(Wire.Message))
        {
            ReadOnlySpan<byte> rest = line[Wire.Message.Length..];
            if (rest.StartsWith(subject) && rest.Length > subject.Length && rest[subject.Length] == ' ')
            {
                rest = rest[(subject.Length + 1)..];
                if (Utf8Parser.TryParse(rest, out int sid, out int used) && used < rest.Length && rest[used] == ' '
                    && Utf8Parser.TryParse(rest[(used + 1)..], out int size, out int sizeUsed)
                    && used + 1 + sizeUsed == rest.Length && (uint)size < connection.Buffer.Length - 2)
                {
                    Sid = sid;
                    return size;
                }
            }
        }

        throw new DriverException($"Expected a message and received '{RawConnection.Show(line)}'.");
    }
}
