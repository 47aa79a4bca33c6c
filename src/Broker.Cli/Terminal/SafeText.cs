using System.Globalization;
using System.Text;

namespace Broker.Cli.Terminal;

/// <summary>
/// Escapes text that may come from a peer. Such text must not be able to fake a line, to reverse the text direction or
/// to control the terminal.
/// </summary>
internal static class SafeText
{
    /// <summary>
    /// Escapes line breaks and all characters that could control the terminal.
    /// </summary>
    public static string OneLine(string text)
    {
        if (!text.AsSpan().ContainsAnyExceptInRange(' ', '~'))
        {
            return text;
        }

        var line = new StringBuilder(text.Length + 16);
        foreach (Rune rune in text.EnumerateRunes())
        {
            line.Append(rune.Value switch
            {
                '\n' => "\\n",
                '\r' => "\\r",
                '\t' => "\\t",
                _ when IsSafe(rune) => rune.ToString(),
                <= 0xFF => $"\\x{rune.Value:x2}",
                <= 0xFFFF => $"\\u{rune.Value:x4}",
                _ => $"\\U{rune.Value:x8}",
            });
        }

        return line.ToString();
    }

    private static bool IsSafe(Rune rune) => Rune.GetUnicodeCategory(rune)
        is not (UnicodeCategory.Control or UnicodeCategory.Format or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator
            or UnicodeCategory.OtherNotAssigned or UnicodeCategory.PrivateUse or UnicodeCategory.Surrogate);
}
