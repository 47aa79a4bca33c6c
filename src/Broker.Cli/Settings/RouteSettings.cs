using Broker.Bridge;

namespace Broker.Cli.Settings;

/// <summary>One route of the bridge, as the user wants it.</summary>
/// <param name="Options">What the bridge is told.</param>
/// <param name="Endpoints">All ZeroMQ endpoints of it.</param>
/// <param name="Definition">
/// The same for two routes that are alike, by which a reload finds those that have changed. Secrets may stand in it: it is for comparison alone.
/// </param>
internal sealed record RouteSettings(RouteOptions Options, IReadOnlyList<BridgeEndpoint> Endpoints, string Definition)
{
    public string Name => Options.Name;

    /// <summary>What a log may show.</summary>
    public override string ToString() => $"{Options.Pattern} {Name}";
}
