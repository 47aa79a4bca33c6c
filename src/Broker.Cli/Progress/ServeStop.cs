namespace Broker.Cli.Progress;

/// <summary>How far a stop has come.</summary>
/// <param name="Backlog">What still stands in its way.</param>
/// <param name="Left">The time until clients are closed whatever they have not taken.</param>
internal readonly record struct ServeStop(ServeBacklog Backlog, TimeSpan Left);
