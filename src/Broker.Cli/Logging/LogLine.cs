using System.Globalization;
using System.Text;
using Microsoft.Extensions.Logging;

namespace Broker.Cli.Logging;

/// <summary>Formats a log event as one line: <c>2026-11-21 10:33:00.123 [info] Server: text</c>.</summary>
internal static class LogLine
{
    public static string Format(DateTimeOffset? time, LogLevel level, string category, string message, Exception? exception)
    {
        string name = level switch
        {
            LogLevel.Trace => "trace",
            LogLevel.Debug => "debug",
            LogLevel.Information => "info",
            LogLevel.Warning => "warn",
            LogLevel.Error => "error",
            _ => "fatal",
        };
        string source = category[(category.LastIndexOf('.') + 1)..];
        string text = exception is null ? message : $"{message} ({exception.GetType().Name}: {exception.Message})";
        string? when = time?.ToString("yyyy-MM-dd HH:mm:ss.fff ", CultureInfo.InvariantCulture);
        return $"{when}[{name}] {source}: {OneLine(text)}";
    }

    /// <summary>
    /// Escapes characters of a message. A message may contain bytes of a peer, which must not be able to fake a line,
    /// reverse the text direction or control the terminal.
    /// </summary>
    private static string OneLine(string text)
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
