using System.Globalization;
using Broker.Cli.Terminal;
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
        return $"{when}[{name}] {source}: {SafeText.OneLine(text)}";
    }
}
