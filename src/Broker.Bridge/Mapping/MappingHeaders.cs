namespace Broker.Bridge;

/// <summary>
/// The bridge's own headers, which one scan finds in a NATS header block. Refers to the memory of the block.
/// </summary>
internal ref struct MappingHeaders
{
    private bool _hasOrigin;

    public static ReadOnlySpan<byte> OriginName => "Zmq-Origin"u8;

    public static ReadOnlySpan<byte> FramesName => "Zmq-Frames"u8;

    public static ReadOnlySpan<byte> TopicName => "Zmq-Topic"u8;

    public static ReadOnlySpan<byte> IdentityName => "Zmq-Identity"u8;

    public ReadOnlySpan<byte> Origin { get; private set; }

    /// <summary>The value of Zmq-Identity in hexadecimal digits; empty if the header is missing.</summary>
    public ReadOnlySpan<byte> Identity { get; private set; }

    /// <summary>The value of Zmq-Frames; 0 if the header is missing.</summary>
    public int Frames { get; private set; }

    public bool HasTopic { get; private set; }

    /// <summary>The value of Zmq-Topic in base64url.</summary>
    public ReadOnlySpan<byte> Topic { get; private set; }

    /// <summary>Reads a whole header block; an empty block has no headers.</summary>
    /// <remarks>
    /// This method requires CR LF at the end of each line. Some readers regard a bare CR or LF as the end of a line and
    /// others do not, so a sender could hide a header from some of them. Names are case-sensitive, as in NATS.
    /// </remarks>
    public static bool TryParse(ReadOnlySpan<byte> block, out MappingHeaders headers)
    {
        headers = default;
        if (block.IsEmpty)
        {
            return true;
        }

        if (!TryReadLine(ref block, out ReadOnlySpan<byte> line) || !IsVersion(line))
        {
            return false;
        }

        while (TryReadLine(ref block, out line))
        {
            if (line.IsEmpty)
            {
                return block.IsEmpty;
            }

            int colon = line.IndexOf((byte)':');
            if (colon <= 0 || !headers.Take(line[..colon], line[(colon + 1)..].Trim(" \t"u8)))
            {
                return false;
            }
        }

        return false;
    }

    private bool Take(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        if (name.SequenceEqual(OriginName))
        {
            if (_hasOrigin)
            {
                return false;
            }

            _hasOrigin = true;
            Origin = value;
        }
        else if (name.SequenceEqual(FramesName))
        {
            if (Frames != 0 || !TryReadCount(value, out int frames))
            {
                return false;
            }

            Frames = frames;
        }
        else if (name.SequenceEqual(IdentityName))
        {
            if (!Identity.IsEmpty || value.IsEmpty)
            {
                return false;
            }

            Identity = value;
        }
        else if (name.SequenceEqual(TopicName))
        {
            if (HasTopic)
            {
                return false;
            }

            HasTopic = true;
            Topic = value;
        }

        return true;
    }

    private static bool IsVersion(ReadOnlySpan<byte> line)
        => line.StartsWith("NATS/1.0"u8) && (line.Length == 8 || line[8] == ' ');

    private static bool TryReadLine(scoped ref ReadOnlySpan<byte> rest, out ReadOnlySpan<byte> line)
    {
        int end = rest.IndexOfAny((byte)'\r', (byte)'\n');
        if (end < 0 || !rest[end..].StartsWith("\r\n"u8))
        {
            line = default;
            return false;
        }

        line = rest[..end];
        rest = rest[(end + 2)..];
        return true;
    }

    private static bool TryReadCount(ReadOnlySpan<byte> digits, out int count)
    {
        count = 0;
        if (digits.Length is 0 or > 9 || digits[0] == '0')
        {
            return false;
        }

        foreach (byte digit in digits)
        {
            if (digit is < (byte)'0' or > (byte)'9')
            {
                return false;
            }

            count = (count * 10) + (digit - '0');
        }

        return true;
    }
}
