using System.Buffers;
using BenchmarkDotNet.Attributes;
using Broker.Benchmarks.Running;
using Broker.Transport;

namespace Broker.Benchmarks.Buffers;

/// <summary>
/// Takes buffers and returns them, one at a time or many at once. The result is the cost of one buffer.
/// </summary>
public class BufferPoolBenchmarks
{
    private const int Buffers = 1024;
    private const int MostHeld = 32;

    private readonly Block[] _blocks = new Block[MostHeld];
    private readonly byte[][] _arrays = new byte[MostHeld][];
    private readonly LoopBlockPool _blockPool = new(new SharedBlockPool());
    private readonly ArrayPool<byte> _ownPool = ArrayPool<byte>.Create(maxArrayLength: 64 * 1024, maxArraysPerBucket: MostHeld);

    /// <summary>The size of a buffer in bytes.</summary>
    [Params(4 * 1024, 64 * 1024)]
    public int Size { get; set; }

    /// <summary>The number of buffers that are taken before the first is returned.</summary>
    [Params(1, MostHeld)]
    public int Held { get; set; }

    [GlobalSetup]
    public void Setup()
    {
        long expected = Sum();
        Agreement.Require(expected, Ours(), "what was written and read in our blocks");
        Agreement.Require(expected, ArrayPoolShared(), "what was written and read in shared arrays");
        Agreement.Require(expected, ArrayPoolOwn(), "what was written and read in arrays of an own pool");
        Agreement.Require(expected, NewArray(), "what was written and read in new arrays");
    }

    /// <summary>BlockPool: the pinned blocks of one loop.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Buffers)]
    public long Ours()
    {
        long sum = 0;
        for (int i = 0; i < Buffers; i += Held)
        {
            for (int j = 0; j < Held; j++)
            {
                _blocks[j] = _blockPool.Rent(Size);
                Mark(_blocks[j].Array, i + j);
            }

            for (int j = 0; j < Held; j++)
            {
                sum += Read(_blocks[j].Array);
                _blockPool.Return(_blocks[j]);
            }
        }

        return sum;
    }

    [Benchmark(OperationsPerInvoke = Buffers)]
    public long ArrayPoolShared() => Rent(ArrayPool<byte>.Shared);

    /// <summary>ArrayPool.Create, with enough space for all buffers in use.</summary>
    [Benchmark(OperationsPerInvoke = Buffers)]
    public long ArrayPoolOwn() => Rent(_ownPool);

    /// <summary>No pool: each buffer is cleared memory that is later collected.</summary>
    [Benchmark(OperationsPerInvoke = Buffers)]
    public long NewArray()
    {
        long sum = 0;
        for (int i = 0; i < Buffers; i += Held)
        {
            for (int j = 0; j < Held; j++)
            {
                _arrays[j] = new byte[Size];
                Mark(_arrays[j], i + j);
            }

            for (int j = 0; j < Held; j++)
            {
                sum += Read(_arrays[j]);
            }
        }

        return sum;
    }

    private long Rent(ArrayPool<byte> pool)
    {
        long sum = 0;
        for (int i = 0; i < Buffers; i += Held)
        {
            for (int j = 0; j < Held; j++)
            {
                _arrays[j] = pool.Rent(Size);
                Mark(_arrays[j], i + j);
            }

            for (int j = 0; j < Held; j++)
            {
                sum += Read(_arrays[j]);
                pool.Return(_arrays[j]);
            }
        }

        return sum;
    }

    // The sum shows a buffer that is in use twice, or that is too short.
    private void Mark(byte[] buffer, int number)
    {
        buffer[0] = (byte)number;
        buffer[Size - 1] = (byte)(number >> 8);
    }

    private long Read(byte[] buffer) => buffer[0] | (buffer[Size - 1] << 8);

    private static long Sum()
    {
        long sum = 0;
        for (int i = 0; i < Buffers; i++)
        {
            sum += i;
        }

        return sum;
    }
}
