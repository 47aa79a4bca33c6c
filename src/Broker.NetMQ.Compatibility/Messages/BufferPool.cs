namespace NetMQ;

/// <summary>The pool from which all pooled messages of the process take their arrays.</summary>
/// <remarks>By default no array is kept. Change the pool before the first message.</remarks>
public static class BufferPool
{
    private static IBufferPool _pool = new GCBufferPool();

    /// <summary>Whether an array that is returned is never used again.</summary>
    internal static bool KeepsNothing => _pool.GetType() == typeof(GCBufferPool);

    /// <summary>Keeps no arrays.</summary>
    public static void SetGCBufferPool() => SetCustomBufferPool(new GCBufferPool());

    /// <summary>Keeps arrays up to a limit.</summary>
    /// <param name="maxBufferPoolSize">The most bytes that the pool keeps.</param>
    /// <param name="maxBufferSize">The size of the largest array that the pool keeps.</param>
    public static void SetBufferManagerBufferPool(long maxBufferPoolSize, int maxBufferSize)
        => SetCustomBufferPool(new BufferManagerBufferPool(maxBufferPoolSize, maxBufferSize));

    /// <summary>Uses another pool. The pool that was used before is disposed.</summary>
    public static void SetCustomBufferPool(IBufferPool bufferPool)
        => Interlocked.Exchange(ref _pool, bufferPool)?.Dispose();

    /// <summary>Takes an array of at least this size out of the pool.</summary>
    public static byte[] Take(int size) => _pool.Take(size);

    /// <summary>
    /// Copies a received frame into an array out of the pool. A new array is not filled with zeros first.
    /// </summary>
    internal static byte[] TakeCopy(ReadOnlySpan<byte> frame)
    {
        byte[] array = KeepsNothing ? GC.AllocateUninitializedArray<byte>(frame.Length) : Take(frame.Length);
        frame.CopyTo(array);
        return array;
    }

    /// <summary>Puts an array back into the pool.</summary>
    public static void Return(byte[] buffer) => _pool.Return(buffer);
}
