namespace Broker.Cli.Progress;

/// <summary>What a host still has to do before it can end without a loss.</summary>
/// <param name="Clients">Clients that are still connected.</param>
/// <param name="Bytes">What is queued for them, in bytes of the protocol.</param>
internal readonly record struct ServeBacklog(int Clients, long Bytes);
