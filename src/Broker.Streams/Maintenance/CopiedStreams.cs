namespace Broker.Streams;

/// <summary>The streams of an account that were backed up or restored.</summary>
/// <param name="Account">The name of the account.</param>
/// <param name="Streams">The streams in the order of their names.</param>
public sealed record CopiedStreams(string Account, IReadOnlyList<StreamReport> Streams);
