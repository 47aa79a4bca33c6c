namespace Broker.Cli.Progress;

/// <summary>The addresses of a route of the bridge.</summary>
/// <param name="Name">The name of the route.</param>
/// <param name="Endpoints">The bound endpoints, in the order of the configuration.</param>
internal sealed record RouteAddresses(string Name, IReadOnlyList<string> Endpoints);
