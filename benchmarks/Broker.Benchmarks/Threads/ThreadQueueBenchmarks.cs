using BenchmarkDotNet.Attributes;
using Broker.Benchmarks.Running;

namespace Broker.Benchmarks.Threads;

/// <summary>
/// Measures the cost of a queue between threads by itself: one thread posts a burst and takes it. The result is for one
/// item.
/// </summary>
public class ThreadQueueBenchmarks
{
    private const int Items = 1024;

    private readonly object _item = new();
    private SwapList _swap = new();
    private SharedQueue _queue = new();
    private UnboundedChannel _unbounded = new();
    private BoundedChannel _bounded = new();

    [Params(1, 64)]
    public int Burst { get; set; }

    [GlobalSetup]
    public void Setup()
    {
        Agreement.Require(Items, SwapListUnderLock(), "items through the swapped lists");
        Agreement.Require(Items, ConcurrentQueue(), "items through the queue");
        Agreement.Require(Items, ChannelUnbounded(), "items through the unbounded channel");
        Agreement.Require(Items, ChannelBounded(), "items through the bounded channel");
    }

    /// <summary>The earlier implementation of the event loop.</summary>
    [Benchmark(OperationsPerInvoke = Items)]
    public int SwapListUnderLock() => Run(ref _swap);

    /// <summary>The implementation of the event loop.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Items)]
    public int ConcurrentQueue() => Run(ref _queue);

    [Benchmark(OperationsPerInvoke = Items)]
    public int ChannelUnbounded() => Run(ref _unbounded);

    [Benchmark(OperationsPerInvoke = Items)]
    public int ChannelBounded() => Run(ref _bounded);

    private int Run<T>(ref T handOver)
        where T : struct, IThreadQueue
    {
        int taken = 0;
        for (int i = 0; i < Items; i += Burst)
        {
            for (int j = 0; j < Burst; j++)
            {
                handOver.Post(_item);
            }

            taken += handOver.Drain();
        }

        return taken;
    }
}
