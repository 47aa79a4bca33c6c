namespace Broker.Bridge;

/// <summary>
/// The memory that one end of a pipeline may use for the messages of all its partners. Each partner may use an equal
/// share, so that partners that take no messages leave room for the others. Used on one loop.
/// </summary>
internal sealed class PipelineBudget
{
    private readonly PipelineMemoryPool _pool;
    private readonly long _most;

    /// <param name="pool">The pool of all the end's messages.</param>
    /// <param name="most">The limit in bytes.</param>
    internal PipelineBudget(PipelineMemoryPool pool, long most)
    {
        _pool = pool;
        _most = most;
        Share = most;
    }

    /// <summary>The share of each partner in bytes. A single message may exceed it.</summary>
    internal long Share { get; private set; }

    /// <summary>Whether no more messages may be kept now.</summary>
    internal bool IsExhausted => _pool.Outstanding >= _most;

    /// <summary>Must be called when the number of partners has changed.</summary>
    internal void Divide(int partners)
    {
        // The last chunk of each partner is partly empty.
        Share = Math.Max(1, (_most / Math.Max(1, partners)) - PipelineMemoryPool.ChunkSize);
    }
}
