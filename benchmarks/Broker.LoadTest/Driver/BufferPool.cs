using System.Collections.Concurrent;

namespace Broker.LoadTest.Driver;

/// <summary>
/// A pool of pinned receive buffers that connections share one after another, so that a measurement with 100 readers
/// allocates nothing.
/// </summary>
internal sealed class BufferPool
{
    public const int BufferSize = 128 * 1024;

    private readonly ConcurrentBag<byte[]> _free = [];

    public byte[] Rent()
        => _free.TryTake(out byte[]? buffer) ? buffer : GC.AllocateUninitializedArray<byte>(BufferSize, pinned: true);

    public void Return(byte[] buffer) => _free.Add(buffer);
}
