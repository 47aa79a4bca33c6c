using System.Diagnostics;
using System.Text;
using BenchmarkDotNet.Attributes;
using Broker.Benchmarks.Running;
using Broker.Transport;
using Broker.ZeroMq.Loops;

namespace Broker.Benchmarks.Subscribing;

/// <summary>
/// Measures the cost of a message at a ZeroMQ PUB with 10,000 prefixes that no peer or only one peer would receive. The
/// peers are real ones, connected by TCP, on one loop whose iterations this thread runs. The result is the cost of one
/// message.
/// </summary>
public class PrefixBenchmarks
{
    private const int Prefixes = 10_000;
    private const int Topics = 16;

    private readonly List<LoopSubscriber> _subscribers = [];
    private EventLoopGroup _loops = null!;
    private LoopPublisher _publisher = null!;
    private EventLoop _loop = null!;
    private byte[][] _unwanted = [];
    private byte[][] _foreign = [];

    [ParamsSource(nameof(Counts))]
    public int Peers { get; set; }

    public static IEnumerable<int> Counts => RunMode.Choose([1, 10], [1, 10, 100]);

    [GlobalSetup]
    public void Setup()
    {
        _loops = new EventLoopGroup(new EventLoopOptions { CallerDriven = true });
        _loop = _loops[0];
        int wanted = 0;
        _publisher = new LoopPublisher(_loops, new LoopPublisherOptions { OnInterest = (_, isWanted) => wanted += isWanted ? 1 : 0 });
        string endpoint = _publisher.Bind("tcp://127.0.0.1:*").ToString();
        for (int i = 0; i < Peers; i++)
        {
            var subscriber = new LoopSubscriber(_loops, static (peer, in message) => true);
            _subscribers.Add(subscriber);
            for (int prefix = i; prefix < Prefixes; prefix += Peers)
            {
                subscriber.Subscribe(Topic(prefix));
            }

            subscriber.Connect(endpoint);
        }

        long start = Stopwatch.GetTimestamp();
        while (wanted < Prefixes || _publisher.Peers.Count < Peers)
        {
            _loop.RunOnce(TimeSpan.FromMilliseconds(10));
            if (Stopwatch.GetElapsedTime(start) > TimeSpan.FromMinutes(1))
            {
                throw new TimeoutException($"Only {wanted} prefixes of {_publisher.Peers.Count} peers have arrived.");
            }
        }

        // The first topics differ from a prefix only in their last octet. The others differ from every prefix in the
        // first octet.
        _unwanted = [.. Enumerable.Range(0, Topics).Select(i => Encoding.ASCII.GetBytes($"market.s{i * 613:D5}?"))];
        _foreign = [.. Enumerable.Range(0, Topics).Select(i => Encoding.ASCII.GetBytes($"weather.s{i * 613:D5}."))];
    }

    [GlobalCleanup]
    public void Cleanup()
    {
        foreach (LoopSubscriber subscriber in _subscribers)
        {
            _ = subscriber.CloseAsync(TimeSpan.Zero);
        }

        _ = _publisher.CloseAsync(TimeSpan.Zero);
        _loops.Dispose();
    }

    /// <summary>The topic differs from a prefix in its last octet.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Topics)]
    public int NearlyWanted() => Publish(_unwanted);

    /// <summary>The topic differs from every prefix in its first octet.</summary>
    [Benchmark(OperationsPerInvoke = Topics)]
    public int Foreign() => Publish(_foreign);

    private int Publish(byte[][] topics)
    {
        int reached = 0;
        foreach (byte[] topic in topics)
        {
            reached += _publisher.Publish(_loop, topic, "body"u8);
        }

        return reached == 0 ? 0 : throw new InvalidOperationException("A message matched a prefix.");
    }

    private static byte[] Topic(int number) => Encoding.ASCII.GetBytes($"market.s{number:D5}.");
}
