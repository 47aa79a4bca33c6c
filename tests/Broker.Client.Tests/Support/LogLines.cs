using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Broker.Client.Tests.Support;

/// <summary>A logger factory that stores the lines of its loggers.</summary>
internal sealed class LogLines : ILoggerFactory, ILogger
{
    private readonly ConcurrentQueue<(int Id, string Text, Exception? Cause)> _lines = [];

    internal ConcurrentBag<string> Categories { get; } = [];

    /// <summary>Each line with the exception that was logged with it.</summary>
    internal IEnumerable<string> WithExceptions => _lines.Select(static l => $"{l.Text} {l.Cause}");

    internal Task HasAsync(string line)
        => Wait.UntilAsync(() => _lines.Any(l => l.Text.StartsWith(line, StringComparison.Ordinal)), () => string.Join('\n', _lines.Select(static l => l.Text)));

    internal string[] Of(params int[] ids) => [.. _lines.Where(l => ids.Contains(l.Id)).Select(static l => l.Text).Distinct().Order(StringComparer.Ordinal)];

    public ILogger CreateLogger(string categoryName)
    {
        Categories.Add(categoryName);
        return this;
    }

    public void AddProvider(ILoggerProvider provider) => throw new NotSupportedException();

    public void Dispose()
    {
    }

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull
        => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        => _lines.Enqueue((eventId.Id, $"[{eventId.Id}] {logLevel}: {formatter(state, exception)}", exception));
}
