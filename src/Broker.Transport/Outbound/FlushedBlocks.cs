using Broker.Transport.Buffers;

namespace Broker.Transport.Outbound;

/// <summary>What a stage gives up: blocks in order, each beginning where a message begins, how many bytes they hold, and the chain's waste.</summary>
internal readonly record struct FlushedBlocks(Block? First, Block? Last, long Bytes, long Waste);
