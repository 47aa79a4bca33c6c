using Microsoft.Extensions.Logging;

namespace Broker.Cli.Logging;

/// <summary>
/// Writes every log event as one line to a <see cref="LogLineWriter"/>. The same provider writes to the console, where
/// lines must not damage the status line, and to a file.
/// </summary>
/// <remarks>
/// Information events are buffered until <see cref="Release"/>. If the start fails, they are never written, so that the
/// user only reads the line with the reason. Warnings are buffered until <see cref="ReleaseWarnings"/>, because a
/// warning about an address is understood only after the line with the address. If the start fails, the warnings are
/// written at the end.
/// </remarks>
internal sealed class LineLoggerProvider : ILoggerProvider
{
    private readonly TimeProvider? _clock;
    private readonly LogLineWriter _lines;
    private readonly Lock _gate = new();
    private List<string>? _information = [];
    private List<string>? _warnings = [];
    private volatile LogLevel _level = LogLevel.Information;

    /// <param name="write">
    /// Writes one line. If it throws, the line is counted as lost, and a later line reports it.
    /// </param>
    /// <param name="clock">The clock for the time at the start of lines, or null for no time.</param>
    public LineLoggerProvider(Action<string> write, TimeProvider? clock)
    {
        _clock = clock;
        _lines = new LogLineWriter(write, text => LogLine.Format(Now, LogLevel.Warning, "log", text, null));
    }

    /// <summary>The lowest level that is written. It can be changed at any time.</summary>
    public LogLevel Level
    {
        get => _level;
        set => _level = value;
    }

    public ILogger CreateLogger(string categoryName) => new LineLogger(this, categoryName);

    /// <summary>Writes the buffered events except warnings, after the start has succeeded.</summary>
    public void Release()
    {
        lock (_gate)
        {
            _information?.ForEach(_lines.Add);
            _information = null;
        }
    }

    /// <summary>Writes the buffered warnings, after the addresses have been written.</summary>
    public void ReleaseWarnings()
    {
        lock (_gate)
        {
            _warnings?.ForEach(_lines.Add);
            _warnings = null;
        }
    }

    public void Dispose()
    {
        ReleaseWarnings();
        _lines.Dispose();
    }

    private void Write(LogLevel level, string line)
    {
        lock (_gate)
        {
            List<string>? buffer = level <= LogLevel.Information ? _information : level == LogLevel.Warning ? _warnings : null;
            if (buffer is not null)
            {
                buffer.Add(line);
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
            // The logger factory only knows the level at its creation, so the current level is checked here.
            if (IsEnabled(logLevel))
            {
                provider.Write(logLevel, LogLine.Format(provider.Now, logLevel, category, formatter(state, exception), exception));
            }
        }
    }

    private DateTimeOffset? Now => _clock?.GetLocalNow();
}
