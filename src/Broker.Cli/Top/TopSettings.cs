namespace Broker.Cli.Top;

/// <summary>The settings of one run of <c>broker top</c>.</summary>
internal sealed record TopSettings
{
    /// <summary>The time between two readings.</summary>
    public TimeSpan Interval { get; init; } = TimeSpan.FromSeconds(1);

    public TopOrder Order { get; init; }

    /// <summary>Whether the routes of the ZeroMQ bridge are shown instead of the connections.</summary>
    public bool ShowsRoutes { get; init; }

    /// <summary>The number of connections or routes that are printed, or null for the default.</summary>
    public int? Lines { get; init; }

    /// <summary>Whether the command ends after one table.</summary>
    public bool IsOnce { get; init; }

    public bool IsJson { get; init; }
}
