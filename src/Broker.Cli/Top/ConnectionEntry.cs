namespace Broker.Cli.Top;

/// <summary>A connection on <c>/connz</c>.</summary>
internal sealed record ConnectionEntry
{
    public long Cid { get; init; }

    public string? Ip { get; init; }

    public int Port { get; init; }

    public DateTimeOffset Start { get; init; }

    public string? Uptime { get; init; }

    public string? Name { get; init; }

    public string? AuthorizedUser { get; init; }

    public string? Account { get; init; }

    public long PendingBytes { get; init; }

    public long InMsgs { get; init; }

    public long OutMsgs { get; init; }

    public long InBytes { get; init; }

    public long OutBytes { get; init; }

    public long Subscriptions { get; init; }

    /// <summary>The address as text. A connection within the server's process has none.</summary>
    public string Address => string.IsNullOrEmpty(Ip) ? "in process" : Ip.Contains(':') ? $"[{Ip}]:{Port}" : $"{Ip}:{Port}";
}
