using BenchmarkDotNet.Attributes;
using Broker.Benchmarks.Running;
using Broker.ZeroMq;

namespace Broker.Benchmarks.Interop;

/// <summary>
/// Measures the cost of receiving a message that has arrived. It compares three bindings to libzmq (the original one,
/// its later form, and one in today's style) and NetMQ with this project's socket. Sender and receiver are in one
/// process, and no call waits. The result is the cost of one message.
/// </summary>
public class InteropReceiveBenchmarks
{
    private const int Messages = 50_000;

    private LibzmqPair? _libzmq;
    private OneBuffer? _oneBuffer;
    private NetMqPair? _netMq;
    private ZeroMqContext? _context;
    private PushSocket? _push;
    private PullSocket? _pull;
    private byte[] _body = [];
    private byte[] _buffer = [];

    [Params(64, 1024)]
    public int Size { get; set; }

    [GlobalSetup(Targets = [nameof(MessageObjectsEach), nameof(OneNativeBuffer), nameof(IntoSpan)])]
    public void SetupLibzmq()
    {
        MakeBodies();
        _libzmq = new LibzmqPair();
        _oneBuffer = new OneBuffer(_libzmq.Pull);
        _libzmq.Send(_body);
        Agreement.Require(true, MessageObjects.Receive(_libzmq.Pull).AsSpan().SequenceEqual(_body), "a message by message objects");
        _libzmq.Send(_body);
        Agreement.Require(true, _oneBuffer.Receive().AsSpan().SequenceEqual(_body), "a message by one buffer");
        _libzmq.Send(_body);
        Agreement.Require(true, _buffer.AsSpan(0, ReceiveIntoSpan()).SequenceEqual(_body), "a message into a span");
    }

    [GlobalSetup(Targets = [nameof(NetMqFrameBytes), nameof(NetMqMsg)])]
    public void SetupNetMq()
    {
        MakeBodies();
        _netMq = new NetMqPair();
        _netMq.Send(_body);
        Agreement.Require(true, _netMq.ReceiveBytes().AsSpan().SequenceEqual(_body), "a message of NetMQ as an array");
        _netMq.Send(_body);
        Agreement.Require(true, _netMq.ReceiveMsg().SequenceEqual(_body), "a message of NetMQ in a Msg");
    }

    [GlobalSetup(Target = nameof(Ours))]
    public void SetupOurs()
    {
        MakeBodies();
        _context = new ZeroMqContext();
        var options = new ZeroMqSocketOptions
        {
            SendHighWaterMark = 0,
            SendHighWaterBytes = 1L << 30,
            ReceiveHighWaterMark = 0,
            ReceiveHighWaterBytes = 1L << 30,
        };
        _pull = new PullSocket(options, _context);
        _push = new PushSocket(options, _context);
        _pull.Bind("inproc://benchmark");
        _push.Connect("inproc://benchmark");
        _push.Send(_body);
        Agreement.Require(true, _buffer.AsSpan(0, _pull.Receive(_buffer)).SequenceEqual(_body), "a message of ours");
    }

    [GlobalCleanup]
    public void Cleanup()
    {
        _oneBuffer?.Dispose();
        _libzmq?.Dispose();
        _netMq?.Dispose();
        _push?.Dispose();
        _pull?.Dispose();
        _context?.Dispose();
    }

    [IterationSetup]
    public void Fill()
    {
        for (int i = 0; i < Messages; i++)
        {
            _libzmq?.Send(_body);
            _netMq?.Send(_body);
            _push?.Send(_body);
        }

        AwaitArrival();
    }

    /// <summary>This project's socket receives into the caller's buffer.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Messages)]
    public long Ours()
    {
        long sum = 0;
        for (int i = 0; i < Messages; i++)
        {
            int size = _pull!.Receive(_buffer);
            sum += size + _buffer[size - 1];
        }

        return Checked(sum);
    }

    /// <summary>Each call creates a message object, a native message and a closure.</summary>
    [BenchmarkCategory(Libzmq.Category)]
    [Benchmark(OperationsPerInvoke = Messages)]
    public long MessageObjectsEach()
    {
        long sum = 0;
        for (int i = 0; i < Messages; i++)
        {
            byte[] body = MessageObjects.Receive(_libzmq!.Pull);
            sum += body.Length + body[^1];
        }

        return Checked(sum);
    }

    /// <summary>Each message is received into a native buffer of the socket and copied into an array.</summary>
    [BenchmarkCategory(Libzmq.Category)]
    [Benchmark(OperationsPerInvoke = Messages)]
    public long OneNativeBuffer()
    {
        long sum = 0;
        for (int i = 0; i < Messages; i++)
        {
            byte[] body = _oneBuffer!.Receive();
            sum += body.Length + body[^1];
        }

        return Checked(sum);
    }

    /// <summary>Each message is received into the caller's buffer.</summary>
    [BenchmarkCategory(Libzmq.Category)]
    [Benchmark(OperationsPerInvoke = Messages)]
    public long IntoSpan()
    {
        long sum = 0;
        for (int i = 0; i < Messages; i++)
        {
            int size = ReceiveIntoSpan();
            sum += size + _buffer[size - 1];
        }

        return Checked(sum);
    }

    /// <summary>NetMQ, with an array for each message.</summary>
    [Benchmark(OperationsPerInvoke = Messages)]
    public long NetMqFrameBytes()
    {
        long sum = 0;
        for (int i = 0; i < Messages; i++)
        {
            byte[] body = _netMq!.ReceiveBytes();
            sum += body.Length + body[^1];
        }

        return Checked(sum);
    }

    /// <summary>NetMQ, with one Msg for all messages.</summary>
    [Benchmark(OperationsPerInvoke = Messages)]
    public long NetMqMsg()
    {
        long sum = 0;
        for (int i = 0; i < Messages; i++)
        {
            ReadOnlySpan<byte> body = _netMq!.ReceiveMsg();
            sum += body.Length + body[^1];
        }

        return Checked(sum);
    }

    private unsafe int ReceiveIntoSpan()
    {
        fixed (byte* at = _buffer)
        {
            int size = Libzmq.Receive(_libzmq!.Pull, at, (nuint)_buffer.Length, 0);
            Libzmq.Require(size);
            return size;
        }
    }

    private long Checked(long sum)
    {
        Agreement.Require(Messages * (long)(Size + _body[^1]), sum, "lengths and last octets");
        return sum;
    }

    private void MakeBodies()
    {
        _body = [.. Enumerable.Range(1, Size).Select(i => (byte)(i % 251))];
        _buffer = new byte[Size];
    }

    // The loop delivers the messages. They have all arrived when the loop has delivered no more for a while. Otherwise
    // the measured calls would wait for them.
    private void AwaitArrival()
    {
        for (long held = -1; _pull is not null && _pull.Receiver.Queue.BufferedBytes is var now && (now != held || now < (long)Messages * Size);)
        {
            held = now;
            Thread.Sleep(5);
        }
    }
}
