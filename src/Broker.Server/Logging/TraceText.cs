using System.Globalization;
using System.Text;

namespace Broker.Server;

/// <summary>Converts bytes of a peer to text that is safe in a line of a log.</summary>
internal static class TraceText
{
    /// <summary>
    /// The maximum number of bytes that are shown of a text. After these bytes, the length of a longer text is shown.
    /// </summary>
    internal const int Most = 1024;

    internal static string Of(ReadOnlySpan<byte> bytes, int most = Most)
    {
        int length = bytes.Length;
        ReadOnlySpan<byte> shown = length > most ? bytes[..most] : bytes;
        var text = new StringBuilder(shown.Length + 16);
        while (!shown.IsEmpty)
        {
            bool isText = Rune.DecodeFromUtf8(shown, out Rune rune, out int taken) == System.Buffers.OperationStatus.Done;
            if (isText && IsPlain(rune))
            {
                text.Append(rune.ToString());
            }
            else
            {
                Escape(text, shown[..taken]);
            }

            shown = shown[taken..];
        }

        return length > most ? text.Append(CultureInfo.InvariantCulture, $"... ({length} bytes)").ToString() : text.ToString();
    }

    /// <summary>
    /// Returns the beginning of a text, with a question mark for each character that is not safe in a line of a log.
    /// </summary>
    internal static string Clean(string text, int most)
    {
        var clean = new StringBuilder(Math.Min(text.Length, most) + 1);
        foreach (Rune rune in text.EnumerateRunes())
        {
            if (clean.Length >= most)
            {
                break;
            }

            clean.Append(IsSafe(rune) ? rune.ToString() : "?");
        }

        return clean.ToString();
    }

    private static bool IsPlain(Rune rune) => rune.Value is not ('"' or '\\') && IsSafe(rune);

    // Characters that change the text direction or are invisible would make the line look different from its content.
    private static bool IsSafe(Rune rune) => Rune.GetUnicodeCategory(rune)
        is not (UnicodeCategory.Control or UnicodeCategory.Format or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator
            or UnicodeCategory.OtherNotAssigned or UnicodeCategory.PrivateUse or UnicodeCategory.Surrogate);

    private static void Escape(StringBuilder text, ReadOnlySpan<byte> bytes)
    {
        foreach (byte value in bytes)
        {
            switch (value)
            {
                case (byte)'\r':
                    text.Append("\\r");
                    break;
                case (byte)'\n':
                    text.Append("\\n");
                    break;
                case (byte)'\t':
                    text.Append("\\t");
                    break;
                case (byte)'"':
                case (byte)'\\':
                    text.Append('\\').Append((char)value);
                    break;
                default:
                    text.Append(CultureInfo.InvariantCulture, $"\\x{value:x2}");
                    break;
            }
        }
    }
}
