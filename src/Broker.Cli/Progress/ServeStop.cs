namespace Broker.Cli.Progress;

/// <summary>The progress of a stop.</summary>
/// <param name="Backlog">The work that remains.</param>
/// <param name="Left">The time until all clients are closed, also those with pending messages.</param>
internal readonly record struct ServeStop(ServeBacklog Backlog, TimeSpan Left);
