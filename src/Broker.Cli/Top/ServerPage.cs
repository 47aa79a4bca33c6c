namespace Broker.Cli.Top;

/// <summary>The part of <c>/varz</c> that is shown.</summary>
internal sealed record ServerPage
{
    public string? ServerId { get; init; }

    public string? ServerName { get; init; }

    public string? Version { get; init; }

    /// <summary>The version of this project's broker, or null for another server.</summary>
    public string? BrokerVersion { get; init; }

    /// <summary>The time when the server started.</summary>
    public DateTimeOffset Start { get; init; }

    /// <summary>The server's time when it made the page.</summary>
    public DateTimeOffset Now { get; init; }

    public string? Uptime { get; init; }

    /// <summary>The resident memory in bytes.</summary>
    public long Mem { get; init; }

    /// <summary>The percentage of one processor.</summary>
    public double Cpu { get; init; }

    public long Connections { get; init; }

    public long InMsgs { get; init; }

    public long OutMsgs { get; init; }

    public long InBytes { get; init; }

    public long OutBytes { get; init; }

    public long SlowConsumers { get; init; }

    public long Subscriptions { get; init; }
}
