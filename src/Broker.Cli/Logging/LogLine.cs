using System.Globalization;
using Microsoft.Extensions.Logging;

namespace Broker.Cli.Logging;

/// <summary>One event as one line: <c>2026-11-21 10:33:00.123 [info] Server: text</c>.</summary>
internal static class LogLine
{
    public static string Format(DateTimeOffset? time, LogLevel level, string category, string message, Exception? exception)
    {
        var name = level switch
        {
            LogLevel.Trace => "trace",
            LogLevel.Debug => "debug",
            LogLevel.Information => "info",
            LogLevel.Warning => "warn",
            LogLevel.Error => "error",
            _ => "fatal",
        };
        var source = category[(category.LastIndexOf('.') + 1)..];
        var text = exception is null ? message : $"{message} ({exception.GetType().Name}: {exception.Message})";
        var when = time?.ToString("yyyy-MM-dd HH:mm:ss.fff ", CultureInfo.InvariantCulture);
        return $"{when}[{name}] {source}: {OneLine(text)}";
    }

    /// <summary>A peer's bytes may be part of a message: they must neither fake a line nor drive the terminal.</summary>
    private static string OneLine(string text)
    {
        if (!text.Any(char.IsControl))
            return text;
        return string.Concat(text.Select(static c => c switch
        {
            '\n' => "\\n",
            '\r' => "\\r",
            '\t' => "\\t",
            _ when char.IsControl(c) => $"\\x{(int)c:x2}",
            _ => c.ToString(),
        }));
    }
}
