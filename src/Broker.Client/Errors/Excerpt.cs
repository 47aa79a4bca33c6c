using System.Text;

namespace Broker.Client;

/// <summary>Formats the beginning of received bytes for an error text.</summary>
internal static class Excerpt
{
    private const int Most = 48;

    /// <summary>
    /// Returns the first line in quotes. A long line is cut, and bytes other than printable ASCII are escaped.
    /// </summary>
    internal static string Of(ReadOnlySpan<byte> bytes)
    {
        int end = bytes.IndexOf((byte)'\n');
        ReadOnlySpan<byte> line = (end < 0 ? bytes : bytes[..end]).TrimEnd((byte)'\r');
        var text = new StringBuilder("'");
        foreach (byte value in line[..Math.Min(line.Length, Most)])
        {
            if (value is >= 0x20 and < 0x7F and not (byte)'\'' and not (byte)'\\')
            {
                text.Append((char)value);
            }
            else
            {
                text.Append("\\x").Append(value.ToString("x2", null));
            }
        }

        return text.Append(line.Length > Most ? "…'" : "'").ToString();
    }
}
