namespace Broker.Cli.Top;

/// <summary>The part of <c>/connz</c> that is shown.</summary>
internal sealed record ConnectionsPage
{
    /// <summary>The server's time when it made the page.</summary>
    public DateTimeOffset Now { get; init; }

    /// <summary>The number of all connections, also of those that are not on the page.</summary>
    public long Total { get; init; }

    public ConnectionEntry[]? Connections { get; init; }
}
