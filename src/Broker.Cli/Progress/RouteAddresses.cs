namespace Broker.Cli.Progress;

/// <summary>Where ZeroMQ programs find a route of the bridge.</summary>
/// <param name="Name">The route's.</param>
/// <param name="Endpoints">Those that are bound, in the order of the configuration.</param>
internal sealed record RouteAddresses(string Name, IReadOnlyList<string> Endpoints);
