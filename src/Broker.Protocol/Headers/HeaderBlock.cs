using System.Text;

namespace Broker.Protocol.Headers;

/// <summary>
/// Reads the header block of HPUB and HMSG in place: <c>NATS/1.0[ status]</c>, lines <c>Name: value</c>, an empty line.
/// </summary>
public static class HeaderBlock
{
    /// <summary>The beginning of every block.</summary>
    public static ReadOnlySpan<byte> Version => "NATS/1.0"u8;

    private static ReadOnlySpan<byte> LineEnd => "\r\n"u8;

    /// <summary>
    /// The value of the first line with <paramref name="name"/>, compared without regard to case, without the white space
    /// around it. Borrowed from <paramref name="block"/>. False when there is none, or the block is none.
    /// </summary>
    public static bool TryGet(ReadOnlySpan<byte> block, ReadOnlySpan<byte> name, out ReadOnlySpan<byte> value)
    {
        value = default;
        if (!block.StartsWith(Version))
        {
            return false;
        }

        int end = block.IndexOf(LineEnd);
        while (end >= 0)
        {
            block = block[(end + 2)..];
            end = block.IndexOf(LineEnd);
            ReadOnlySpan<byte> line = end < 0 ? block : block[..end];
            if (line.IsEmpty)
            {
                // The empty line ends the block, whatever length the publisher announced for it.
                return false;
            }

            int colon = line.IndexOf((byte)':');
            if (colon >= 0 && Ascii.EqualsIgnoreCase(line[..colon], name))
            {
                value = line[(colon + 1)..].Trim(" \t"u8);
                return true;
            }
        }

        return false;
    }

    /// <summary>The three digits after the version, as in <c>NATS/1.0 503</c> or <c>NATS/1.0 409 Conflict</c>; 0 when there are none.</summary>
    public static int Status(ReadOnlySpan<byte> block)
    {
        ReadOnlySpan<byte> rest = block.StartsWith(Version) ? block[Version.Length..] : default;
        return rest is [(byte)' ', >= (byte)'0' and <= (byte)'9', >= (byte)'0' and <= (byte)'9', >= (byte)'0' and <= (byte)'9', ..]
            && (rest.Length == 4 || rest[4] is (byte)' ' or (byte)'\r')
            ? ((rest[1] - '0') * 100) + ((rest[2] - '0') * 10) + (rest[3] - '0')
            : 0;
    }
}
