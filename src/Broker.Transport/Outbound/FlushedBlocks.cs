namespace Broker.Transport;

/// <summary>
/// The blocks of one flush of a write buffer, in order. Each block begins at the start of a message. <c>Bytes</c> is
/// their content, and <c>Unused</c> the unused space between them.
/// </summary>
internal readonly record struct FlushedBlocks(Block? First, Block? Last, long Bytes, long Unused);
