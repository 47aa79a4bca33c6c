using System.Buffers;
using System.Globalization;
using System.Text;

namespace Broker.Server;

/// <summary>
/// Quotes subjects for error texts in the format of Go's %q, as nats-server does. So a client cannot put control
/// characters into a log.
/// </summary>
internal static class QuotedText
{
    /// <summary>
    /// The maximum number of bytes of a subject in an error text. A control line of nats-server cannot contain a longer
    /// subject.
    /// </summary>
    internal const int MaxLength = 4096;

    internal static string Of(ReadOnlySpan<byte> utf8)
    {
        utf8 = utf8[..Math.Min(utf8.Length, MaxLength)];
        StringBuilder text = new StringBuilder(utf8.Length + 2).Append('"');
        while (!utf8.IsEmpty)
        {
            OperationStatus status = Rune.DecodeFromUtf8(utf8, out Rune rune, out int length);
            if (status != OperationStatus.Done)
            {
                // Invalid UTF-8 is quoted byte by byte, as in Go.
                text.Append(CultureInfo.InvariantCulture, $"\\x{utf8[0]:x2}");
                length = 1;
            }
            else
            {
                Append(text, rune);
            }

            utf8 = utf8[length..];
        }

        return text.Append('"').ToString();
    }

    private static void Append(StringBuilder text, Rune rune)
    {
        string? escape = rune.Value switch
        {
            '"' => "\\\"",
            '\\' => "\\\\",
            '\a' => "\\a",
            '\b' => "\\b",
            '\f' => "\\f",
            '\n' => "\\n",
            '\r' => "\\r",
            '\t' => "\\t",
            '\v' => "\\v",
            < ' ' or 0x7F => $"\\x{rune.Value:x2}",
            _ when IsPrintable(rune) => null,
            <= 0xFFFF => $"\\u{rune.Value:x4}",
            _ => $"\\U{rune.Value:x8}",
        };
        text.Append(escape ?? rune.ToString());
    }

    private static bool IsPrintable(Rune rune) => rune.Value is ' ' || Rune.GetUnicodeCategory(rune) is not
        (UnicodeCategory.Control or UnicodeCategory.Format or UnicodeCategory.Surrogate or UnicodeCategory.PrivateUse
        or UnicodeCategory.OtherNotAssigned or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator
        or UnicodeCategory.SpaceSeparator);
}
