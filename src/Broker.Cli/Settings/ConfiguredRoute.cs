using Broker.Bridge;

namespace Broker.Cli.Settings;

/// <summary>The settings of one route of the bridge.</summary>
/// <param name="Options">The options for the bridge.</param>
/// <param name="Endpoints">All ZeroMQ endpoints of the route.</param>
/// <param name="Definition">
/// A text that is equal for equal routes, by which a reload finds changed routes. It is only for comparison, because it
/// may contain secrets.
/// </param>
internal sealed record ConfiguredRoute(RouteOptions Options, IReadOnlyList<BridgeEndpoint> Endpoints, string Definition)
{
    public string Name => Options.Name;

    /// <summary>Returns the pattern and the name, for logs.</summary>
    public override string ToString() => $"{Options.Pattern} {Name}";
}
