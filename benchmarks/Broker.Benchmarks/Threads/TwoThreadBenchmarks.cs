using BenchmarkDotNet.Attributes;
using Broker.Benchmarks.Running;

namespace Broker.Benchmarks.Threads;

/// <summary>
/// Measures one producer and one consumer on two threads, with bursts that the producer waits for. The result is for
/// one item.
/// </summary>
public class TwoThreadBenchmarks
{
    private const int Burst = 256;
    private const int Bursts = 16;
    private const int Items = Burst * Bursts;

    private readonly object _item = new();
    private Consumer<SwapList>? _swap;
    private Consumer<SharedQueue>? _queue;
    private Consumer<UnboundedChannel>? _unbounded;
    private Consumer<BoundedChannel>? _bounded;

    [GlobalSetup(Target = nameof(SwapListUnderLock))]
    public void SetupSwapList()
    {
        _swap = new Consumer<SwapList>(new SwapList());
        Agreement.Require(Items, SwapListUnderLock(), "items through the swapped lists");
    }

    [GlobalSetup(Target = nameof(ConcurrentQueue))]
    public void SetupQueue()
    {
        _queue = new Consumer<SharedQueue>(new SharedQueue());
        Agreement.Require(Items, ConcurrentQueue(), "items through the queue");
    }

    [GlobalSetup(Target = nameof(ChannelUnbounded))]
    public void SetupUnbounded()
    {
        _unbounded = new Consumer<UnboundedChannel>(new UnboundedChannel());
        Agreement.Require(Items, ChannelUnbounded(), "items through the unbounded channel");
    }

    [GlobalSetup(Target = nameof(ChannelBounded))]
    public void SetupBounded()
    {
        _bounded = new Consumer<BoundedChannel>(new BoundedChannel());
        Agreement.Require(Items, ChannelBounded(), "items through the bounded channel");
    }

    [GlobalCleanup]
    public void Cleanup()
    {
        _swap?.Dispose();
        _queue?.Dispose();
        _unbounded?.Dispose();
        _bounded?.Dispose();
    }

    /// <summary>The earlier implementation of the event loop.</summary>
    [Benchmark(OperationsPerInvoke = Items)]
    public long SwapListUnderLock() => _swap!.Send(_item, Bursts, Burst);

    /// <summary>The implementation of the event loop.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Items)]
    public long ConcurrentQueue() => _queue!.Send(_item, Bursts, Burst);

    [Benchmark(OperationsPerInvoke = Items)]
    public long ChannelUnbounded() => _unbounded!.Send(_item, Bursts, Burst);

    [Benchmark(OperationsPerInvoke = Items)]
    public long ChannelBounded() => _bounded!.Send(_item, Bursts, Burst);
}
