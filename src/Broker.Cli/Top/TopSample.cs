namespace Broker.Cli.Top;

/// <summary>All pages, read at about the same time.</summary>
/// <param name="Server">The server.</param>
/// <param name="Connections">The connections that the server listed.</param>
/// <param name="Routes">The routes of the bridge, or null if the server has no bridge.</param>
/// <param name="Time">The time of the reading, as a time stamp of the clock.</param>
internal sealed record TopSample(ServerPage Server, ConnectionsPage Connections, RoutesPage? Routes, long Time);
