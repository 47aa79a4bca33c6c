using Microsoft.Extensions.Logging;

namespace Broker.Cli.Logging;

/// <summary>
/// Sends every event as one line to a <see cref="LogLineWriter"/>. One provider serves the console, where lines must
/// not cut through the status line, and a file, for which the framework has none.
/// </summary>
internal sealed class LineLoggerProvider(Action<string> write, TimeProvider clock) : ILoggerProvider
{
    private readonly LogLineWriter _writer = new(write);

    public ILogger CreateLogger(string categoryName) => new LineLogger(_writer, clock, categoryName);

    public void Dispose() => _writer.Dispose();

    private sealed class LineLogger(LogLineWriter writer, TimeProvider clock, string category) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => logLevel != LogLevel.None;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
            writer.Add(LogLine.Format(clock.GetLocalNow(), logLevel, category, formatter(state, exception), exception));
    }
}
