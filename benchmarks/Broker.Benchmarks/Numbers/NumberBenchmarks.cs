using System.Buffers.Text;
using System.Globalization;
using System.Text;
using BenchmarkDotNet.Attributes;
using Broker.Benchmarks.Running;

namespace Broker.Benchmarks.Numbers;

/// <summary>Compares ways to write integers as ASCII, for the sizes and sids of control lines.</summary>
public class NumberBenchmarks
{
    private const int Numbers = 256;

    private readonly ulong[] _values = new ulong[Numbers];
    private readonly byte[] _text = new byte[32];

    private delegate int Writer(Span<byte> destination, ulong value);

    [Params(1, 2, 4, 7, 19)]
    public int Digits { get; set; }

    [GlobalSetup]
    public void Setup()
    {
        var random = new Random(7);
        long lowest = Digits == 1 ? 0 : (long)Math.Pow(10, Digits - 1);
        for (int i = 0; i < Numbers; i++)
        {
            _values[i] = (ulong)random.NextInt64(lowest, Digits == 19 ? long.MaxValue : (long)Math.Pow(10, Digits));
        }

        ReadOnlySpan<ulong> edges = [0, 9, 10, 99, 100, 999, 1000, 9999, 10_000, 99_999, 100_000_000, ulong.MaxValue];
        foreach (Writer writer in new Writer[] { Formatter, Formattable, Text, DigitPairs.Write, DigitByDigit.Write })
        {
            Check(writer, _values);
            Check(writer, edges);
        }
    }

    /// <summary>The method that OperationWriter uses.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Numbers, Description = "Utf8Formatter (ours)")]
    public int Utf8FormatterTryFormat()
    {
        int written = 0;
        foreach (ulong value in _values)
        {
            written += Formatter(_text, value);
        }

        return written;
    }

    [Benchmark(OperationsPerInvoke = Numbers)]
    public int TryFormat()
    {
        int written = 0;
        foreach (ulong value in _values)
        {
            written += Formattable(_text, value);
        }

        return written;
    }

    [Benchmark(OperationsPerInvoke = Numbers)]
    public int ToStringThenEncode()
    {
        int written = 0;
        foreach (ulong value in _values)
        {
            written += Text(_text, value);
        }

        return written;
    }

    [Benchmark(OperationsPerInvoke = Numbers)]
    public int PairsByHand()
    {
        int written = 0;
        foreach (ulong value in _values)
        {
            written += DigitPairs.Write(_text, value);
        }

        return written;
    }

    [Benchmark(OperationsPerInvoke = Numbers)]
    public int DigitsByHand()
    {
        int written = 0;
        foreach (ulong value in _values)
        {
            written += DigitByDigit.Write(_text, value);
        }

        return written;
    }

    private static int Formatter(Span<byte> destination, ulong value)
    {
        Agreement.Require(Utf8Formatter.TryFormat(value, destination, out int written));
        return written;
    }

    private static int Formattable(Span<byte> destination, ulong value)
    {
        Agreement.Require(value.TryFormat(destination, out int written, provider: CultureInfo.InvariantCulture));
        return written;
    }

    private static int Text(Span<byte> destination, ulong value)
        => Encoding.ASCII.GetBytes(value.ToString(CultureInfo.InvariantCulture), destination);

    private static void Check(Writer writer, ReadOnlySpan<ulong> values)
    {
        Span<byte> text = stackalloc byte[32];
        foreach (ulong value in values)
        {
            int written = writer(text, value);
            Agreement.Require(
                value.ToString(CultureInfo.InvariantCulture), Encoding.ASCII.GetString(text[..written]), writer.Method.Name);
        }
    }
}
