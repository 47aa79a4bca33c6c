namespace Broker.Streams;

/// <summary>Messages of a stream that cannot be read.</summary>
/// <param name="Stream">The name of the stream.</param>
/// <param name="First">The first sequence.</param>
/// <param name="Last">The last sequence.</param>
public sealed record LostMessages(string Stream, ulong First, ulong Last);
