using System.Globalization;
using BenchmarkDotNet.Attributes;
using Broker.Benchmarks.Peers;
using Broker.Benchmarks.Running;
using Broker.Client;
using Broker.Transport;
using NATS.Client.Core;

namespace Broker.Benchmarks.Publishing;

/// <summary>
/// Publishes 16 bytes from one thread to a server that takes everything, and waits for the server's answer at the end.
/// The result is the cost of one message.
/// </summary>
public class PublishBenchmarks
{
    // With so many messages, memory that the runtime allocates once (for a thread, for example) is less than a byte for
    // each message.
    private const int Messages = 200_000;

    // The bound keeps the amount of waiting data, and the memory, independent of the scheduler.
    private const int MostPending = 256 * 1024;

    private static readonly byte[] Subject = "foo\0"u8.ToArray();
    private static readonly byte[] Body = "0123456789abcdef"u8.ToArray();
    private static readonly byte[] Frame = "PUB foo 16\r\n0123456789abcdef\r\n"u8.ToArray();

    private PublishSink? _sink;
    private RawPublisher? _raw;
    private Libnats? _libnats;
    private EventLoopGroup? _loops;
    private BrokerConnection? _ours;
    private ManualResetEventSlim? _answered;
    private NatsConnection? _natsNet;

    [GlobalSetup(Target = nameof(FlushEach))]
    public void SetupFlushEach()
    {
        _sink = new PublishSink(Frame);
        _raw = new FlushEachPublisher(_sink.Port);
        Check(FlushEach);
    }

    [GlobalSetup(Target = nameof(Flusher))]
    public void SetupFlusher()
    {
        _sink = new PublishSink(Frame);
        _raw = new FlusherPublisher(_sink.Port);
        Check(Flusher);
    }

    [GlobalSetup(Target = nameof(Ours))]
    public void SetupOurs()
    {
        _sink = new PublishSink(Frame);
        _loops = new EventLoopGroup(new EventLoopOptions { Loops = 1, IdlePolls = 0 });
        _ours = BrokerConnection.ConnectAsync(
            new() { Servers = [string.Create(CultureInfo.InvariantCulture, $"127.0.0.1:{_sink.Port}")], Loops = _loops, MaxPendingBytes = MostPending, ConnectTimeout = TimeSpan.FromMinutes(1) })
            .GetAwaiter().GetResult();
        _answered = new ManualResetEventSlim();
        // The largest amount of memory that the client ever uses is allocated once before the measurement.
        _sink.Hold();
        while (_ours.PublishWithStatus(Subject.AsSpan(0, 3), Body) == PublishStatus.Accepted)
        {
        }

        _sink.GoOn();
        AwaitAnswer();
        Check(Ours);
    }

    [GlobalSetup(Target = nameof(InC))]
    public void SetupInC()
    {
        _sink = new PublishSink(Frame);
        _libnats = new Libnats(_sink.Port);
        Check(InC);
    }

    [GlobalSetup(Target = nameof(NatsNet))]
    public void SetupNatsNet()
    {
        // NATS.Net subscribes to its inbox when it connects.
        _sink = new PublishSink(Frame, subscribes: true);
        _natsNet = new NatsConnection(new NatsOpts
        {
            Url = string.Create(CultureInfo.InvariantCulture, $"nats://127.0.0.1:{_sink.Port}"),
            ConnectTimeout = TimeSpan.FromMinutes(1),
            CommandTimeout = TimeSpan.FromMinutes(1),
        });
        Check(NatsNet);
    }

    [GlobalCleanup]
    public void Cleanup()
    {
        _natsNet?.DisposeAsync().AsTask().GetAwaiter().GetResult();
        _raw?.Dispose();
        _libnats?.Dispose();
        _ours?.DisposeAsync().AsTask().GetAwaiter().GetResult();
        _loops?.Dispose();
        _answered?.Dispose();
        _sink?.Dispose();
    }

    /// <summary>One system call for each message.</summary>
    [Benchmark(OperationsPerInvoke = Messages)]
    public void FlushEach() => _raw!.Publish(Body, Messages);

    /// <summary>
    /// A buffer under a lock, and a thread that sends it. The publisher notifies the thread through a signal.
    /// </summary>
    [Benchmark(OperationsPerInvoke = Messages)]
    public void Flusher() => _raw!.Publish(Body, Messages);

    /// <summary>This project's client: the publishing thread sends full blocks, and the loop sends the rest.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Messages)]
    public void Ours()
    {
        for (int i = 0; i < Messages; i++)
        {
            PublishStatus status;
            while ((status = _ours!.PublishWithStatus(Subject.AsSpan(0, 3), Body)) == PublishStatus.PendingLimit)
            {
                Thread.Yield();
            }

            Agreement.Require(status == PublishStatus.Accepted);
        }

        AwaitAnswer();
    }

    /// <summary>libnats.</summary>
    [BenchmarkCategory(Libnats.Category)]
    [Benchmark(OperationsPerInvoke = Messages)]
    public void InC() => _libnats!.Publish(Subject, Body, Messages);

    /// <summary>NATS.Net, which hands each message to its own task by a channel and a pipe.</summary>
    [Benchmark(OperationsPerInvoke = Messages)]
    public void NatsNet() => PublishByNatsNetAsync().GetAwaiter().GetResult();

    private async Task PublishByNatsNetAsync()
    {
        for (int i = 0; i < Messages; i++)
        {
            await _natsNet!.PublishAsync("foo", Body).ConfigureAwait(false);
        }

        await _natsNet!.PingAsync().ConfigureAwait(false);
    }

    private void Check(Action variant)
    {
        long before = _sink!.Messages;
        variant();
        Agreement.Require(Messages, _sink.Messages - before, "messages that arrived");
        Agreement.Require(0, _sink.Wrong, "bytes that are wrong");
    }

    private void AwaitAnswer()
    {
        _answered!.Reset();
        _ours!.Barrier(static (answered, _) => ((ManualResetEventSlim)answered!).Set(), _answered);
        _answered.Wait();
    }
}
