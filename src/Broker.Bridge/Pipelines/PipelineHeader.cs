using System.Buffers.Text;

namespace Broker.Bridge;

/// <summary>
/// The headers of a pipeline's messages, which one scan finds in a header block. Refers to the memory of the block.
/// </summary>
/// <remarks>
/// Names are case-sensitive. Each line must end with CR LF; <see cref="MappingHeaders"/> explains why. If a
/// header of the pipeline occurs twice, the block is malformed. Other headers are ignored.
/// </remarks>
internal ref struct PipelineHeader
{
    /// <summary>The value of a numeric header that is missing.</summary>
    internal const long None = -1;

    private int _seen;

    public PipelineHeader()
    {
    }

    internal static ReadOnlySpan<byte> VersionLine => "NATS/1.0\r\n"u8;

    /// <summary>The name of an ingress, or of one of its links: <c>ingress.link</c>.</summary>
    internal ReadOnlySpan<byte> Ingress { get; private set; }

    internal ReadOnlySpan<byte> Egress { get; private set; }

    /// <summary>The token of a link; see <see cref="LinkTokens"/>.</summary>
    internal ReadOnlySpan<byte> Token { get; private set; }

    internal long Sequence { get; private set; } = None;

    internal long Last { get; private set; } = None;

    internal long Acknowledged { get; private set; } = None;

    internal long Resend { get; private set; } = None;

    internal long WindowMessages { get; private set; } = None;

    internal long WindowBytes { get; private set; } = None;

    /// <summary>The value of Zmq-Frames; 1 if the header is missing.</summary>
    internal int Frames { get; private set; } = 1;

    internal bool Moved { get; private set; }

    internal bool End { get; private set; }

    /// <summary>
    /// Reads a header block. Returns false if it is not a header block or one of the pipeline's headers is malformed.
    /// </summary>
    internal static bool TryParse(ReadOnlySpan<byte> block, out PipelineHeader header)
    {
        header = new PipelineHeader();
        if (!block.StartsWith(VersionLine))
        {
            return false;
        }

        block = block[VersionLine.Length..];
        while (true)
        {
            int end = block.IndexOfAny((byte)'\r', (byte)'\n');
            if (end < 0 || !block[end..].StartsWith("\r\n"u8))
            {
                return false;
            }

            ReadOnlySpan<byte> line = block[..end];
            block = block[(end + 2)..];
            if (line.IsEmpty)
            {
                return block.IsEmpty;
            }

            int colon = line.IndexOf((byte)':');
            if (colon <= 0 || !header.Take(line[..colon], line[(colon + 1)..].Trim(" \t"u8)))
            {
                return false;
            }
        }
    }

    private bool Take(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        if (!name.StartsWith("Zmq-"u8))
        {
            return true;
        }

        name = name[4..];
        if (name.SequenceEqual("Ingress"u8))
        {
            Ingress = value;
            return IsFirst(0);
        }

        if (name.SequenceEqual("Egress"u8))
        {
            Egress = value;
            return IsFirst(1);
        }

        if (name.SequenceEqual("Token"u8))
        {
            Token = value;
            return IsFirst(10);
        }

        if (name.SequenceEqual("Window"u8))
        {
            return TryReadWindow(value) && IsFirst(2);
        }

        if (name.SequenceEqual("Moved"u8))
        {
            Moved = true;
            return IsFirst(3);
        }

        if (name.SequenceEqual("End"u8))
        {
            End = true;
            return IsFirst(4);
        }

        return TakeNumber(name, value);
    }

    private bool TakeNumber(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        bool isNumber = TryReadNumber(value, out long number);
        if (name.SequenceEqual("Seq"u8))
        {
            Sequence = number;
            return isNumber && IsFirst(5);
        }

        if (name.SequenceEqual("Ack"u8))
        {
            Acknowledged = number;
            return isNumber && IsFirst(6);
        }

        if (name.SequenceEqual("Last"u8))
        {
            Last = number;
            return isNumber && IsFirst(7);
        }

        if (name.SequenceEqual("Resend"u8))
        {
            Resend = number;
            return isNumber && IsFirst(8);
        }

        if (name.SequenceEqual("Frames"u8))
        {
            Frames = (int)Math.Min(number, int.MaxValue);
            return isNumber && number <= ushort.MaxValue && IsFirst(9);
        }

        return true;
    }

    private bool IsFirst(int index)
    {
        bool first = (_seen & (1 << index)) == 0;
        _seen |= 1 << index;
        return first;
    }

    private bool TryReadWindow(ReadOnlySpan<byte> value)
    {
        int space = value.IndexOf((byte)' ');
        if (space < 0 || !TryReadNumber(value[..space], out long messages)
            || !TryReadNumber(value[(space + 1)..], out long bytes))
        {
            return false;
        }

        WindowMessages = messages;
        WindowBytes = bytes;
        return true;
    }

    internal static bool TryReadNumber(ReadOnlySpan<byte> digits, out long number)
        => Utf8Parser.TryParse(digits, out number, out int read) && read == digits.Length && number >= 0 && char.IsAsciiDigit((char)digits[0]);
}
