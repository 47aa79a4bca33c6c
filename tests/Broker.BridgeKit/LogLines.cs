using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Broker.BridgeKit;

/// <summary>Records log messages.</summary>
public sealed class LogLines : ILogger
{
    private readonly ConcurrentQueue<(LogLevel Level, string Text)> _lines = new();

    public IEnumerable<(LogLevel Level, string Text)> All => _lines;

    public IEnumerable<string> Warnings => _lines.Where(l => l.Level >= LogLevel.Warning).Select(l => l.Text);

    public IEnumerable<string> Errors => _lines.Where(l => l.Level >= LogLevel.Error).Select(l => l.Text);

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        => _lines.Enqueue((logLevel, formatter(state, exception) + (exception is null ? "" : " " + exception)));
}
