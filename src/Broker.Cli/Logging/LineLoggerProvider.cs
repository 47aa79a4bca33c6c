using Microsoft.Extensions.Logging;

namespace Broker.Cli.Logging;

/// <summary>
/// Sends every event as one line to a <see cref="LogLineWriter"/>. One provider serves the console, where lines must
/// not cut through the status line, and a file, for which the framework has none.
/// </summary>
/// <remarks>
/// Until <see cref="Release"/>, what is only information is held back, and never written if that does not come: who starts the
/// broker in vain reads the one line that says why, not how far it got.
/// </remarks>
internal sealed class LineLoggerProvider : ILoggerProvider
{
    private readonly TimeProvider? _clock;
    private readonly LogLineWriter _lines;
    private readonly Lock _gate = new();
    private List<string>? _held = [];
    private volatile LogLevel _level = LogLevel.Information;

    /// <param name="write">Writes one line; what it throws is counted as a line lost, which a later line tells of.</param>
    /// <param name="clock">Tells the time that lines begin with; null for none.</param>
    public LineLoggerProvider(Action<string> write, TimeProvider? clock)
    {
        _clock = clock;
        _lines = new LogLineWriter(write, text => LogLine.Format(Now, LogLevel.Warning, "log", text, null));
    }

    /// <summary>What is less than this is not written. It may change at any time.</summary>
    public LogLevel Level
    {
        get => _level;
        set => _level = value;
    }

    public ILogger CreateLogger(string categoryName) => new LineLogger(this, categoryName);

    /// <summary>The start has succeeded.</summary>
    public void Release()
    {
        lock (_gate)
        {
            _held?.ForEach(_lines.Add);
            _held = null;
        }
    }

    public void Dispose() => _lines.Dispose();

    private void Write(LogLevel level, string line)
    {
        lock (_gate)
        {
            if (_held is not null && level <= LogLevel.Information)
            {
                _held.Add(line);
            }
            else
            {
                _lines.Add(line);
            }
        }
    }

    private sealed class LineLogger(LineLoggerProvider provider, string category) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => logLevel != LogLevel.None && logLevel >= provider.Level;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            // The factory asks its own rules only, and those were fixed when it was made.
            if (IsEnabled(logLevel))
            {
                provider.Write(logLevel, LogLine.Format(provider.Now, logLevel, category, formatter(state, exception), exception));
            }
        }
    }

    private DateTimeOffset? Now => _clock?.GetLocalNow();
}
