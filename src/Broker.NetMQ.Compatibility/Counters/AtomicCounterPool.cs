using NetMQ.Core.Utils;

namespace NetMQ;

/// <summary>The pool from which all shared frames of the process take their counters.</summary>
/// <remarks>By default no counter is kept. Change the pool before the first message.</remarks>
public static class AtomicCounterPool
{
    private static IAtomicCounterPool _pool = new GCAtomicCounterPool();

    /// <summary>Keeps no counters.</summary>
    public static void SetGCCounterPool() => SetCustomCounterPool(new GCAtomicCounterPool());

    /// <summary>Uses another pool. The pool that was used before is disposed.</summary>
    public static void SetCustomCounterPool(IAtomicCounterPool counterPool)
    {
        ArgumentNullException.ThrowIfNull(counterPool);
        Interlocked.Exchange(ref _pool, counterPool).Dispose();
    }

    /// <summary>Takes a counter out of the pool.</summary>
    public static AtomicCounter Take() => _pool.Take();

    /// <summary>Puts a counter back into the pool.</summary>
    public static void Return(AtomicCounter counter) => _pool.Return(counter);
}
