using Microsoft.Extensions.Logging;

namespace Broker.AspNetCore;

/// <summary>
/// Keeps the last lines of a program's log in memory, for the live page and <c>/logz</c>. Add it to the program's loggers
/// as a provider, and set <see cref="MonitoringOptions.Log"/>. Thread-safe.
/// </summary>
/// <remarks>
/// It takes no line below <see cref="LogLevel.Information"/>: the trace of the protocol contains the payloads of clients.
/// </remarks>
/// <example><code>
/// var log = new RecentLog();
/// builder.Logging.AddProvider(log);
/// application.MapBrokerMonitoring(server, new MonitoringOptions { Log = log });
/// </code></example>
public sealed class RecentLog : ILoggerProvider
{
    /// <summary>The number of lines that are kept.</summary>
    public const int Capacity = 200;

    /// <summary>The length in characters to which a line is cut.</summary>
    public const int MaxLineLength = 1000;

    private readonly Lock _gate = new();
    private readonly Queue<RecentLine> _lines = new(Capacity);
    private readonly LogLevel _level;
    private readonly TimeProvider _clock;
    private long _count;

    /// <summary>Creates a log without lines.</summary>
    /// <param name="level">The lowest level that is kept.</param>
    /// <param name="clock">The clock for the time of the lines; null for the clock of the system.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="level"/> is below information.</exception>
    public RecentLog(LogLevel level = LogLevel.Information, TimeProvider? clock = null)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan((int)level, (int)LogLevel.Information, nameof(level));
        _level = level;
        _clock = clock ?? TimeProvider.System;
    }

    /// <summary>The number of lines that were written, including those that are not kept any more.</summary>
    internal long Count => Interlocked.Read(ref _count);

    /// <inheritdoc/>
    public ILogger CreateLogger(string categoryName) => new Category(this, categoryName);

    /// <inheritdoc/>
    public void Dispose()
    {
        // The log holds only memory.
    }

    /// <summary>Returns the lines, the oldest first.</summary>
    internal RecentLine[] Read()
    {
        lock (_gate)
        {
            return [.. _lines];
        }
    }

    private void Add(LogLevel level, string category, string text)
    {
        text = text.Length > MaxLineLength ? string.Concat(text.AsSpan(0, MaxLineLength), "…") : text;
        var line = new RecentLine(_clock.GetUtcNow().UtcDateTime, level, category, text);
        lock (_gate)
        {
            if (_lines.Count == Capacity)
            {
                _lines.Dequeue();
            }

            _lines.Enqueue(line);
            Interlocked.Increment(ref _count);
        }
    }

    private sealed class Category(RecentLog log, string name) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => logLevel >= log._level && logLevel != LogLevel.None;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            if (IsEnabled(logLevel))
            {
                string text = formatter(state, exception);
                log.Add(logLevel, name, exception is null ? text : $"{text} ({exception.GetType().Name}: {exception.Message})");
            }
        }
    }
}
