namespace Broker.Client.Streams;

/// <summary>The acknowledgement of a message that a stream has stored.</summary>
/// <param name="Stream">The name of the stream.</param>
/// <param name="Sequence">The sequence of the message in the stream.</param>
/// <param name="IsDuplicate">Whether the stream had stored a message with this id before.</param>
/// <param name="Domain">The domain of the stream. Null for none.</param>
public readonly record struct PublishAck(string Stream, ulong Sequence, bool IsDuplicate, string? Domain = null);
