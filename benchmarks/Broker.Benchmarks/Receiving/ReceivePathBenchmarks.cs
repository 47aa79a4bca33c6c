using BenchmarkDotNet.Attributes;
using Broker.Benchmarks.Peers;
using Broker.Benchmarks.Running;

namespace Broker.Benchmarks.Receiving;

/// <summary>
/// Measures the path from the socket to the consumer with a sender that is not the bottleneck. The result is the cost
/// of one message.
/// </summary>
public class ReceivePathBenchmarks
{
    private const int Messages = 200_000;

    private MessageSource? _source;
    private IReceiver? _receiver;

    /// <summary>
    /// Whether subjects and sizes differ between messages. Otherwise all messages are <c>foo</c> and <c>test</c>.
    /// </summary>
    [Params(false, true)]
    public bool Varied { get; set; }

    [GlobalSetup(Target = nameof(Naive))]
    public void SetupNaive() => Setup(new NaiveReceiver());

    [GlobalSetup(Target = nameof(LocksFixed))]
    public void SetupLocksFixed() => Setup(new LocksFixedReceiver());

    [GlobalSetup(Target = nameof(OneBlock))]
    public void SetupOneBlock() => Setup(new OneBlockReceiver());

    [GlobalSetup(Target = nameof(OursQueued))]
    public void SetupOursQueued() => Setup(new OursReceiver(queued: true));

    [GlobalSetup(Target = nameof(OursInline))]
    public void SetupOursInline() => Setup(new OursReceiver(queued: false));

    [GlobalSetup(Target = nameof(InC))]
    public void SetupInC() => Setup(new LibnatsReceiver());

    [GlobalCleanup]
    public void Cleanup()
    {
        _receiver?.Dispose();
        _source?.Dispose();
    }

    /// <summary>Four objects for a message, under both locks.</summary>
    [Benchmark(OperationsPerInvoke = Messages)]
    public long Naive() => Receive();

    /// <summary>The same objects, with one lock that is only taken to link the message.</summary>
    [Benchmark(OperationsPerInvoke = Messages)]
    public long LocksFixed() => Receive();

    /// <summary>One reusable block for a message.</summary>
    [Benchmark(OperationsPerInvoke = Messages)]
    public long OneBlock() => Receive();

    /// <summary>Copies in a queue, which <c>await foreach</c> reads.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Messages)]
    public long OursQueued() => Receive();

    /// <summary>Borrowed bytes, handled on the loop.</summary>
    [Benchmark(OperationsPerInvoke = Messages)]
    public long OursInline() => Receive();

    /// <summary>libnats.</summary>
    [BenchmarkCategory(Libnats.Category)]
    [Benchmark(OperationsPerInvoke = Messages)]
    public long InC() => Receive();

    private void Setup(IReceiver receiver)
    {
        _receiver = receiver;
        _source = new MessageSource(Varied, () => receiver.Received);
        receiver.Start(_source.Port, _source.Filter);
        long received = Receive();
        Agreement.Require(_source.SumOf(received), receiver.Sum, "what the messages add up to");
    }

    private long Receive()
    {
        // Only this method sends messages, so the expected sum is known in advance.
        _receiver!.Expect(_receiver.Received + Messages);
        long total = _source!.Send(Messages);
        _receiver.Wait();
        Agreement.Require(total, _receiver.Received, "messages received");
        return total;
    }
}
