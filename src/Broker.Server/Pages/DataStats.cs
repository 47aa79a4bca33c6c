namespace Broker.Server;

/// <summary>A number of messages and of the bytes of their payloads.</summary>
internal readonly record struct DataStats(long Msgs, long Bytes);
