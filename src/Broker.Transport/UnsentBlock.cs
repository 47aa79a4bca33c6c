namespace Broker.Transport;

/// <summary>A piece of what a connection could not send.</summary>
/// <param name="Bytes">All that was written into it, beginning where a writer's message began.</param>
/// <param name="Sent">How many bytes of it, from the start, were sent.</param>
public readonly record struct UnsentBlock(ReadOnlyMemory<byte> Bytes, int Sent);
