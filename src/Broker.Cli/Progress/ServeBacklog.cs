namespace Broker.Cli.Progress;

/// <summary>The work that remains before a host can stop without losing messages.</summary>
/// <param name="Clients">The number of connected clients.</param>
/// <param name="Bytes">The protocol bytes that are pending for these clients.</param>
internal readonly record struct ServeBacklog(int Clients, long Bytes);
