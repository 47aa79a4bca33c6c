using NetMQ.Core.Utils;

namespace NetMQ;

/// <summary>A pool of counters. Its members are called on any thread.</summary>
public interface IAtomicCounterPool : IDisposable
{
    /// <summary>Takes a counter out of the pool.</summary>
    AtomicCounter Take();

    /// <summary>Puts a counter back into the pool.</summary>
    void Return(AtomicCounter counter);
}
