using BenchmarkDotNet.Attributes;
using Broker.Benchmarks.Running;
using Broker.Client;

namespace Broker.Benchmarks.Subscriptions;

/// <summary>
/// Measures the memory of a queue that waits for its first message. The column of allocations shows it, for one queue.
/// </summary>
public class IdleQueueBenchmarks
{
    private const int Queues = 1_000;
    private const int Capacity = 65_536;

    private readonly object[] _queues = new object[Queues];

    [GlobalSetup]
    public void Setup()
    {
        Agreement.Require(Queues, BoundedChannel(), "channels");
        Agreement.Require(Queues, LinkedList(), "lists");
        Agreement.Require(Queues, Ours(), "queues");
    }

    [Benchmark(OperationsPerInvoke = Queues)]
    public int BoundedChannel() => Make(static () => QueueMaker.Channel(Capacity));

    [Benchmark(OperationsPerInvoke = Queues)]
    public int LinkedList() => Make(static () => new LinkedQueue(Capacity));

    [Benchmark(Baseline = true, OperationsPerInvoke = Queues)]
    public int Ours() => Make(static () => new SubscriptionQueue(QueueOptions.Default));

    private int Make(Func<object> make)
    {
        for (int i = 0; i < Queues; i++)
        {
            _queues[i] = make();
        }

        return Array.IndexOf(_queues, null) < 0 ? Queues : 0;
    }
}
