namespace NetMQ;

/// <summary>A pool of arrays for messages. The implementation must be thread-safe.</summary>
public interface IBufferPool : IDisposable
{
    /// <summary>Takes an array of at least this size out of the pool.</summary>
    byte[] Take(int size);

    /// <summary>Puts an array back into the pool.</summary>
    void Return(byte[] buffer);
}
