using System.Buffers;

namespace NetMQ;

/// <summary>A pool that keeps the arrays that are returned, up to a limit.</summary>
public class BufferManagerBufferPool : IBufferPool
{
    private readonly ArrayPool<byte> _pool;
    private readonly long _most;
    private readonly int _largest;
    private long _kept;

    /// <summary>Creates a pool.</summary>
    /// <param name="maxBufferPoolSize">The most bytes that the pool keeps.</param>
    /// <param name="maxBufferSize">The size of the largest array that the pool keeps.</param>
    /// <exception cref="ArgumentOutOfRangeException">A size is negative.</exception>
    public BufferManagerBufferPool(long maxBufferPoolSize, int maxBufferSize)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(maxBufferPoolSize);
        ArgumentOutOfRangeException.ThrowIfNegative(maxBufferSize);
        _most = maxBufferPoolSize;
        _largest = maxBufferSize;
        _pool = ArrayPool<byte>.Create(Math.Max(1, maxBufferSize), 50);
    }

    /// <inheritdoc/>
    public byte[] Take(int size)
    {
        if (size > _largest)
        {
            return new byte[size];
        }

        byte[] buffer = _pool.Rent(size);
        if (Volatile.Read(ref _kept) >= buffer.Length)
        {
            Interlocked.Add(ref _kept, -buffer.Length);
        }

        return buffer;
    }

    /// <inheritdoc/>
    public void Return(byte[] buffer)
    {
        ArgumentNullException.ThrowIfNull(buffer);
        if (buffer.Length > _largest || Volatile.Read(ref _kept) + buffer.Length > _most)
        {
            return;
        }

        try
        {
            _pool.Return(buffer);
            Interlocked.Add(ref _kept, buffer.Length);
        }
        catch (ArgumentException)
        {
            // The array is not one of this pool, which a program may have changed while messages were in use.
        }
    }

    /// <summary>Releases the pool.</summary>
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
