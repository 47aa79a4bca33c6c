using System.Text;

namespace Broker.Protocol;

/// <summary>
/// Reads the header block of HPUB and HMSG in place. The block has the form <c>NATS/1.0[ status]</c>, lines <c>Name:
/// value</c>, an empty line.
/// </summary>
/// <example><code>
/// int status = HeaderBlock.Status("NATS/1.0 503\r\n\r\n"u8);
/// </code></example>
public static class HeaderBlock
{
    /// <summary>The first bytes of every header block.</summary>
    public static ReadOnlySpan<byte> Version => "NATS/1.0"u8;

    private static ReadOnlySpan<byte> LineEnd => "\r\n"u8;

    /// <summary>
    /// Finds the first header with <paramref name="name"/>, ignoring case. <paramref name="value"/> points into
    /// <paramref name="block"/> and has no white space around it. Returns false if no header has this name or if the
    /// block is invalid.
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
                // The empty line ends the block, even if the publisher announced a longer block.
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

    /// <summary>
    /// Returns the three digits after the version, as in <c>NATS/1.0 503</c> or <c>NATS/1.0 409 Conflict</c>; 0 if
    /// there are no such digits.
    /// </summary>
    public static int Status(ReadOnlySpan<byte> block)
    {
        ReadOnlySpan<byte> rest = block.StartsWith(Version) ? block[Version.Length..] : default;
        return rest is [(byte)' ', >= (byte)'0' and <= (byte)'9', >= (byte)'0' and <= (byte)'9', >= (byte)'0' and <= (byte)'9', ..]
            && (rest.Length == 4 || rest[4] is (byte)' ' or (byte)'\r')
            ? ((rest[1] - '0') * 100) + ((rest[2] - '0') * 10) + (rest[3] - '0')
            : 0;
    }
}
