using System.Globalization;

namespace Broker.Protocol.Headers;

/// <summary>
/// Reads the header block of HPUB and HMSG in place: <c>NATS/1.0[ status]</c>, lines <c>Name: value</c>, an empty line.
/// </summary>
public static class HeaderBlock
{
    /// <summary>The beginning of every block.</summary>
    public static ReadOnlySpan<byte> Version => "NATS/1.0"u8;

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

        int end = block.IndexOf("\r\n"u8);
        while (end >= 0)
        {
            block = block[(end + 2)..];
            end = block.IndexOf("\r\n"u8);
            ReadOnlySpan<byte> line = end < 0 ? block : block[..end];
            int colon = line.IndexOf((byte)':');
            if (colon >= 0 && System.Text.Ascii.EqualsIgnoreCase(line[..colon], name))
            {
                value = line[(colon + 1)..].Trim(" \t"u8);
                return true;
            }
        }

        return false;
    }

    /// <summary>The three digits after the version, as in <c>NATS/1.0 503</c>; 0 when there are none.</summary>
    public static int Status(ReadOnlySpan<byte> block)
    {
        ReadOnlySpan<byte> rest = block.StartsWith(Version) ? block[Version.Length..] : default;
        return rest.Length >= 4 && rest[0] == (byte)' ' && int.TryParse(rest.Slice(1, 3), CultureInfo.InvariantCulture, out int status) ? status : 0;
    }
}
