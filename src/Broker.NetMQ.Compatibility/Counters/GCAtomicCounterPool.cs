using NetMQ.Core.Utils;

namespace NetMQ;

/// <summary>A pool that keeps nothing: each counter is new.</summary>
public class GCAtomicCounterPool : IAtomicCounterPool
{
    /// <summary>Creates the pool.</summary>
    public GCAtomicCounterPool()
    {
    }

    /// <summary>Creates a counter.</summary>
    public AtomicCounter Take() => new();

    /// <summary>Does nothing.</summary>
    public void Return(AtomicCounter counter)
    {
    }

    /// <summary>Releases the pool, which holds nothing.</summary>
    public void Dispose()
    {
        Dispose(disposing: true);
        GC.SuppressFinalize(this);
    }

    /// <summary>Releases the pool.</summary>
    /// <param name="disposing">Whether <see cref="Dispose()"/> was called.</param>
    protected virtual void Dispose(bool disposing)
    {
    }
}
