using Microsoft.Extensions.Logging;

namespace Broker.AspNetCore.Tests.Harness;

/// <summary>Writes a line to a logger.</summary>
internal static class LogWriting
{
    internal static void Write(this ILogger logger, LogLevel level, string text, Exception? error = null)
        => logger.Log(level, default, text, error, static (line, _) => line);
}
