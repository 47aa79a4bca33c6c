using System.Globalization;
using System.Text;

namespace Broker.Server.Tracing;

/// <summary>Bytes of a peer as text that is safe in a line of a log.</summary>
internal static class TraceText
{
    /// <summary>Of what is longer only so much is shown, and how long it is.</summary>
    internal const int Most = 1024;

    internal static string Of(ReadOnlySpan<byte> bytes)
    {
        int length = bytes.Length;
        ReadOnlySpan<byte> shown = length > Most ? bytes[..Most] : bytes;
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

        return length > Most ? text.Append(CultureInfo.InvariantCulture, $"... ({length} bytes)").ToString() : text.ToString();
    }

    // What turns the direction of text, or is not seen, would show another line than there is.
    private static bool IsPlain(Rune rune) => rune.Value is not ('"' or '\\') && Rune.GetUnicodeCategory(rune)
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
