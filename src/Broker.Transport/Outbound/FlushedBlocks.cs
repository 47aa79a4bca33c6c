namespace Broker.Transport;

/// <summary>
/// The blocks of one flush of a write buffer, in order. Each block begins at the start of a message. <c>Bytes</c> is
/// the number of bytes in the blocks, and <c>Unused</c> is the unused space between them.
/// </summary>
internal readonly record struct FlushedBlocks(Block? First, Block? Last, long Bytes, long Unused);
