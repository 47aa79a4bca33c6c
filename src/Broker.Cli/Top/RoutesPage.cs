namespace Broker.Cli.Top;

/// <summary>The part of <c>/bridgez</c> that is shown.</summary>
internal sealed record RoutesPage
{
    public RouteEntry[]? Routes { get; init; }
}
