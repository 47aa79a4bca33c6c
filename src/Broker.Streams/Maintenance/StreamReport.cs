namespace Broker.Streams;

/// <summary>A stream in a verification or after a repair.</summary>
/// <param name="Name">The name.</param>
/// <param name="Messages">The number of whole messages.</param>
/// <param name="Bytes">Their bytes in the store.</param>
/// <param name="Lost">The number of lost messages that are known.</param>
/// <param name="LastSequence">The last sequence that is used, so that the next message gets a greater one.</param>
/// <param name="Consumers">The number of consumers.</param>
public sealed record StreamReport(string Name, long Messages, long Bytes, long Lost, ulong LastSequence, int Consumers);
