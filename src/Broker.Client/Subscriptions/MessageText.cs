using System.Globalization;
using System.Text;

namespace Broker.Client;

/// <summary>Describes a message in one short line for logs and debuggers.</summary>
internal static class MessageText
{
    /// <summary>The description of a value that contains no message.</summary>
    internal const string None = "no message";

    private const int MostOfSubject = 128;
    private const int MostOfBody = 64;

    /// <summary>
    /// Returns the subject and the beginning of the body. If the body is longer, its length follows. Bytes that are not
    /// UTF-8, and characters that could change how the line is shown, are escaped.
    /// </summary>
    internal static string Of(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> body)
    {
        var text = new StringBuilder();
        if (!Append(text, subject, MostOfSubject))
        {
            text.Append('…');
        }

        text.Append(" \"");
        if (Append(text, body, MostOfBody))
        {
            return text.Append('"').ToString();
        }

        return text.Append(CultureInfo.InvariantCulture, $"…\" ({body.Length} bytes)").ToString();
    }

    // Returns false if not all bytes were appended.
    private static bool Append(StringBuilder text, ReadOnlySpan<byte> bytes, int most)
    {
        int at = 0;
        while (at < bytes.Length)
        {
            bool isValid = Rune.DecodeFromUtf8(bytes[at..], out Rune rune, out int length) == System.Buffers.OperationStatus.Done;
            if (at + length > most)
            {
                return false;
            }

            if (!isValid)
            {
                foreach (byte value in bytes.Slice(at, length))
                {
                    text.Append(CultureInfo.InvariantCulture, $"\\x{value:x2}");
                }
            }
            else
            {
                Append(text, rune);
            }

            at += length;
        }

        return true;
    }

    private static void Append(StringBuilder text, Rune rune)
    {
        if (rune.Value is '"' or '\\')
        {
            text.Append('\\').Append((char)rune.Value);
        }
        else if (IsShown(rune))
        {
            text.Append(rune);
        }
        else
        {
            text.Append(CultureInfo.InvariantCulture, $"\\u{{{rune.Value:x}}}");
        }
    }

    // Control and format characters could begin a new line, colour a terminal or reverse the direction of the text.
    private static bool IsShown(Rune rune) => Rune.GetUnicodeCategory(rune) is not (
        UnicodeCategory.Control or UnicodeCategory.Format or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator
        or UnicodeCategory.PrivateUse or UnicodeCategory.OtherNotAssigned);
}
