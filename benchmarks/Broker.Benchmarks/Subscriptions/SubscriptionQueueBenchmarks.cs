using System.Threading.Channels;
using BenchmarkDotNet.Attributes;
using Broker.Benchmarks.Running;
using Broker.Client;
using Broker.Protocol;

namespace Broker.Benchmarks.Subscriptions;

/// <summary>
/// Compares queues for the readers of many subscriptions. One message after another goes into each queue and out again.
/// The result is the cost of one message.
/// </summary>
public class SubscriptionQueueBenchmarks
{
    private const int Messages = 100_000;
    private const int Burst = 100;
    private const int Capacity = 65_536;

    private static readonly byte[] Frame = "MSG foo 1 4\r\ntest\r\n"u8.ToArray();

    private Channel<Message>[] _channels = [];
    private LinkedQueue[] _lists = [];
    private SubscriptionQueue[] _ours = [];
    private ServerOperationParser _parser;

    public static IEnumerable<int> Counts => RunMode.Choose([1, 1_000], [1, 1_000, 100_000]);

    [ParamsSource(nameof(Counts))]
    public int Subscriptions { get; set; }

    [GlobalSetup]
    public void Setup()
    {
        _parser = new ServerOperationParser(ParserLimits.Default);
        _channels = [.. Enumerable.Range(0, Subscriptions).Select(_ => QueueMaker.Channel(Capacity))];
        _lists = [.. Enumerable.Range(0, Subscriptions).Select(_ => new LinkedQueue(Capacity))];
        _ours = [.. Enumerable.Range(0, Subscriptions).Select(_ => new SubscriptionQueue(QueueOptions.Default))];
        long expected = BoundedChannel();
        Agreement.Require(expected, LinkedList(), "what came out of the lists");
        Agreement.Require(expected, Ours(), "what came out of ours");
    }

    [Benchmark(OperationsPerInvoke = Messages)]
    public long BoundedChannel() => Run(new ChannelPort(_channels));

    /// <summary>A linked list and a condition variable.</summary>
    [Benchmark(OperationsPerInvoke = Messages)]
    public long LinkedList() => Run(new ListPort(_lists));

    [Benchmark(Baseline = true, OperationsPerInvoke = Messages)]
    public long Ours() => Run(new OursPort(_ours));

    private long Run<T>(T port)
        where T : struct, IPort
    {
        long sum = 0;
        int burst = Math.Min(Burst, Messages / Subscriptions);
        var handler = new Handler<T>(port);
        for (int done = 0; done < Messages; done += burst * Subscriptions)
        {
            for (int i = 0; i < burst; i++)
            {
                for (handler.Index = 0; handler.Index < Subscriptions; handler.Index++)
                {
                    int needed = 0;
                    _parser.Parse(Frame, ref handler, ref needed, out _);
                }
            }

            for (int at = 0; at < Subscriptions; at++)
            {
                while (port.TryTake(at, out Message message))
                {
                    sum += message.Body.Length;
                }
            }
        }

        Agreement.Require(4L * Messages, sum, "bytes");
        return sum;
    }

    private interface IPort
    {
        void Put(int at, in MessageView view);

        bool TryTake(int at, out Message message);
    }

    private readonly struct ChannelPort(Channel<Message>[] queues) : IPort
    {
        public void Put(int at, in MessageView view) => queues[at].Writer.TryWrite(view.ToMessage());

        public bool TryTake(int at, out Message message) => queues[at].Reader.TryRead(out message);
    }

    private readonly struct ListPort(LinkedQueue[] queues) : IPort
    {
        public void Put(int at, in MessageView view) => queues[at].Put(view.ToMessage());

        public bool TryTake(int at, out Message message) => queues[at].TryTake(out message);
    }

    private readonly struct OursPort(SubscriptionQueue[] queues) : IPort
    {
        public void Put(int at, in MessageView view) => queues[at].Enqueue(in view);

        public bool TryTake(int at, out Message message) => queues[at].TryRead(out message);
    }

    private struct Handler<T>(T port) : IServerOperationHandler
        where T : struct, IPort
    {
        internal int Index;

        public readonly bool OnMessage(in MessageOperation operation)
        {
            port.Put(Index, new MessageView(in operation, null!));
            return true;
        }

        public readonly bool OnInfo(ReadOnlySpan<byte> json) => false;

        public readonly bool OnPing() => false;

        public readonly bool OnPong() => false;

        public readonly bool OnOk() => false;

        public readonly bool OnError(ReadOnlySpan<byte> text) => false;
    }
}
