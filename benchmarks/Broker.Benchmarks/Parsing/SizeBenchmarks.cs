using System.Buffers.Text;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using BenchmarkDotNet.Attributes;
using Broker.Benchmarks.Running;
using Broker.Protocol;

namespace Broker.Benchmarks.Parsing;

/// <summary>Compares ways to parse the size argument of a PUB: a number with a fixed count of digits.</summary>
public class SizeBenchmarks
{
    private const int Numbers = 256;
    private const int Stride = 16;

    private readonly byte[] _text = new byte[Numbers * Stride];

    [Params(1, 2, 4, 7)]
    public int Digits { get; set; }

    [GlobalSetup]
    public void Setup()
    {
        var random = new Random(7);
        int lowest = (int)Math.Pow(10, Digits - 1);
        long sum = 0;
        for (int i = 0; i < Numbers; i++)
        {
            int value = random.Next(Digits == 1 ? 0 : lowest, lowest * 10);
            sum += value;
            Encoding.ASCII.GetBytes(value.ToString(CultureInfo.InvariantCulture), _text.AsSpan(i * Stride));
        }

        Agreement.Require(sum, Ours(), "what was written and our parser");
        Agreement.Require(sum, IntParse(), "what was written and int.Parse");
        Agreement.Require(sum, IntTryParse(), "what was written and int.TryParse");
        Agreement.Require(sum, Utf8ParserTryParse(), "what was written and Utf8Parser");
    }

    [Benchmark(Baseline = true, OperationsPerInvoke = Numbers)]
    public long Ours()
    {
        long sum = 0;
        ref byte first = ref MemoryMarshal.GetArrayDataReference(_text);
        for (int i = 0; i < Numbers; i++)
        {
            sum += SizeArgument.Parse(ref Unsafe.Add(ref first, i * Stride), Digits);
        }

        return sum;
    }

    [Benchmark(OperationsPerInvoke = Numbers)]
    public long IntParse()
    {
        long sum = 0;
        for (int i = 0; i < Numbers; i++)
        {
            sum += int.Parse(_text.AsSpan(i * Stride, Digits), NumberStyles.None, CultureInfo.InvariantCulture);
        }

        return sum;
    }

    [Benchmark(OperationsPerInvoke = Numbers)]
    public long IntTryParse()
    {
        long sum = 0;
        for (int i = 0; i < Numbers; i++)
        {
            Agreement.Require(int.TryParse(
                _text.AsSpan(i * Stride, Digits), NumberStyles.None, CultureInfo.InvariantCulture, out int value));
            sum += value;
        }

        return sum;
    }

    [Benchmark(OperationsPerInvoke = Numbers)]
    public long Utf8ParserTryParse()
    {
        long sum = 0;
        for (int i = 0; i < Numbers; i++)
        {
            // Utf8Parser also accepts a sign and stops at the first character that is not a digit. The caller must
            // check where it stopped.
            Agreement.Require(Utf8Parser.TryParse(_text.AsSpan(i * Stride, Digits), out int value, out int taken) && taken == Digits);
            sum += value;
        }

        return sum;
    }
}
