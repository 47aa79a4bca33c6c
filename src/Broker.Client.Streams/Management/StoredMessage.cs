namespace Broker.Client.Streams;

/// <summary>A message that was read from a stream without a consumer.</summary>
/// <param name="Stream">The name of the stream that has the message. A mirror has another name than its
/// original.</param>
/// <param name="Subject">The subject of the message.</param>
/// <param name="Sequence">The sequence of the message in the stream.</param>
/// <param name="Time">When the message was stored.</param>
/// <param name="Headers">The header block. Empty for none.</param>
/// <param name="Body">The body.</param>
public sealed record StoredMessage(
    string Stream, string Subject, ulong Sequence, DateTimeOffset Time, ReadOnlyMemory<byte> Headers, ReadOnlyMemory<byte> Body);
