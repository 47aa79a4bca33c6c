using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Broker.Leaf.Tests.Support;

/// <summary>A log that counts its lines by event.</summary>
internal sealed class CountingLog : ILogger
{
    private readonly ConcurrentQueue<(int Id, string Text)> _lines = new();

    internal IEnumerable<string> Texts => _lines.Select(static line => line.Text);

    /// <summary>The number of lines with an event id.</summary>
    internal int Count(int id) => _lines.Count(line => line.Id == id);

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull
        => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        => _lines.Enqueue((eventId.Id, formatter(state, exception)));
}
