namespace NetMQ;

/// <summary>A pool that keeps nothing: each array is new, and the garbage collector frees it.</summary>
public class GCBufferPool : IBufferPool
{
    /// <summary>Creates an array.</summary>
    public byte[] Take(int size) => new byte[size];

    /// <summary>Does nothing.</summary>
    public void Return(byte[] buffer)
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
