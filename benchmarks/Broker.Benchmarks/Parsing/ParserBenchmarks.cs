using BenchmarkDotNet.Attributes;
using Broker.Benchmarks.Running;

namespace Broker.Benchmarks.Parsing;

/// <summary>
/// Measures the cost of parsing a PUB. The result is for one message of a stream of 1,024 messages, 64 KiB in all.
/// </summary>
public class ParserBenchmarks
{
    private readonly ReceiveLoop _ours = new();
    private readonly LineSplitter _lines = new();
    private readonly ByteMachine _bytes = new();
    private readonly byte[] _received = new byte[PublishStream.MostBytes];
    private PublishStream _stream = null!;

    [ParamsAllValues]
    public StreamKind Stream { get; set; }

    [ParamsAllValues]
    public Arrival Arrival { get; set; }

    [GlobalSetup]
    public void Setup()
    {
        _stream = PublishStream.Make(Stream);
        DigestSink ours = default;
        DigestSink lines = default;
        DigestSink bytes = default;
        RunOurs(ref ours);
        RunLines(ref lines);
        RunBytes(ref bytes);
        Agreement.Require(PublishStream.Messages, ours.Count, "messages of our parser");
        Agreement.Require(ours, lines, "our parser and the line splitter");
        Agreement.Require(ours, bytes, "our parser and the byte machine");
    }

    [Benchmark(Baseline = true, OperationsPerInvoke = PublishStream.Messages)]
    public long Ours()
    {
        CountingSink sink = default;
        RunOurs(ref sink);
        return sink.Total;
    }

    [Benchmark(OperationsPerInvoke = PublishStream.Messages)]
    public long PipelinesLineSplitter()
    {
        CountingSink sink = default;
        RunLines(ref sink);
        return sink.Total;
    }

    [Benchmark(OperationsPerInvoke = PublishStream.Messages)]
    public long ByteByByte()
    {
        CountingSink sink = default;
        RunBytes(ref sink);
        return sink.Total;
    }

    private void RunOurs<TSink>(ref TSink sink)
        where TSink : struct, IPublishSink
    {
        if (Arrival == Arrival.Whole)
        {
            Agreement.Require(_ours.ParseWhole(_stream.Bytes, ref sink));
            return;
        }

        foreach (Range read in _stream.Reads)
        {
            Agreement.Require(_ours.Receive(_stream.Bytes.AsSpan(read), ref sink));
        }
    }

    private void RunLines<TSink>(ref TSink sink)
        where TSink : struct, IPublishSink
    {
        if (Arrival == Arrival.Whole)
        {
            Agreement.Require(_lines.ParseWhole(_stream.Bytes, ref sink));
            return;
        }

        foreach (Range read in _stream.Reads)
        {
            Agreement.Require(_lines.Receive(_stream.Bytes.AsSpan(read), ref sink));
        }
    }

    private void RunBytes<TSink>(ref TSink sink)
        where TSink : struct, IPublishSink
    {
        if (Arrival == Arrival.Whole)
        {
            Agreement.Require(_bytes.Receive(_stream.Bytes, ref sink));
            return;
        }

        foreach (Range read in _stream.Reads)
        {
            // The other parsers copy each read into their buffer, as a kernel does, so this parser must do it too.
            ReadOnlySpan<byte> bytes = _stream.Bytes.AsSpan(read);
            bytes.CopyTo(_received);
            Agreement.Require(_bytes.Receive(_received.AsSpan(0, bytes.Length), ref sink));
        }
    }
}
