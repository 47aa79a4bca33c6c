using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Broker.Server.Tests.Harness;

/// <summary>A logger that stores the log lines.</summary>
internal sealed class LogCapture(LogLevel least = LogLevel.Information) : ILogger
{
    private readonly ConcurrentQueue<(LogLevel Level, string Text)> _entries = new();

    /// <summary>The minimum level of stored lines. It may change at any time.</summary>
    public LogLevel Least { get; set; } = least;

    public IReadOnlyList<string> Warnings => [.. _entries.Where(e => e.Level >= LogLevel.Warning).Select(e => e.Text)];

    public IReadOnlyList<string> All => [.. _entries.Select(e => e.Text)];

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull
        => null;

    public bool IsEnabled(LogLevel logLevel) => logLevel >= Least;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        if (IsEnabled(logLevel))
        {
            _entries.Enqueue((logLevel, formatter(state, exception)));
        }
    }
}
