using System.Collections.Frozen;
using System.Text;
using BenchmarkDotNet.Attributes;
using Broker.Benchmarks.Hashing;
using Broker.Benchmarks.Running;
using Broker.Server;

namespace Broker.Benchmarks.Maps;

/// <summary>Measures a lookup by bytes in a receive buffer, without a key object.</summary>
public class MapBenchmarks
{
    private const int Lookups = 256;
    private const ulong Seed = 0x243F6A8885A308D3;

    private byte[][] _asked = [];
    private Dictionary<byte[], int>.AlternateLookup<ReadOnlySpan<byte>> _dictionary;
    private FrozenDictionary<byte[], int>.AlternateLookup<ReadOnlySpan<byte>> _frozen;
    private Dictionary<string, int> _strings = [];
    private Dictionary<string, int>.AlternateLookup<ReadOnlySpan<char>> _characters;
    private OpenAddressingMap _open = new(1, Seed);

    [Params(Keys.Small, Keys.Medium, Keys.Large)]
    public int KeyLength { get; set; }

    [ParamsSource(nameof(Counts))]
    public int Count { get; set; }

    /// <summary>Whether the map contains the keys.</summary>
    [ParamsAllValues]
    public bool Found { get; set; }

    public static IEnumerable<int> Counts => RunMode.Choose([1000], [10, 1000, 50_000]);

    [GlobalSetup]
    public void Setup()
    {
        byte[][] keys = Keys.Make(Count, KeyLength, "y");
        byte[][] others = Found ? keys : Keys.Make(Count, KeyLength, "n");
        var random = new Random(3);
        _asked = [.. Enumerable.Range(0, Lookups).Select(_ => others[random.Next(Count)].ToArray())];

        var comparer = new ByteKeyComparer(Seed);
        var dictionary = new Dictionary<byte[], int>(comparer);
        _strings = [];
        _open = new OpenAddressingMap(Count, Seed);
        for (int i = 0; i < Count; i++)
        {
            dictionary.Add(keys[i], i + 1);
            _strings.Add(Encoding.ASCII.GetString(keys[i]), i + 1);
            _open.Add(keys[i], i + 1);
        }

        _dictionary = dictionary.GetAlternateLookup<ReadOnlySpan<byte>>();
        _frozen = dictionary.ToFrozenDictionary(comparer).GetAlternateLookup<ReadOnlySpan<byte>>();
        _characters = _strings.GetAlternateLookup<ReadOnlySpan<char>>();

        long sum = _asked.Sum(key => (long)dictionary.GetValueOrDefault(key));
        Agreement.Require(Found, sum != 0, "whether the keys are there");
        Agreement.Require(sum, Ours(), "a plain lookup and the dictionary's alternate lookup");
        Agreement.Require(sum, Frozen(), "dictionary and frozen dictionary");
        Agreement.Require(sum, Strings(), "dictionary and strings");
        Agreement.Require(sum, Characters(), "dictionary and strings by characters");
        Agreement.Require(sum, OpenAddressing(), "dictionary and open addressing");
    }

    /// <summary>Dictionary with ByteKeyComparer, through its alternate lookup.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Lookups)]
    public long Ours()
    {
        long sum = 0;
        foreach (byte[] key in _asked)
        {
            sum += _dictionary.TryGetValue(key, out int value) ? value : 0;
        }

        return sum;
    }

    [Benchmark(OperationsPerInvoke = Lookups)]
    public long Frozen()
    {
        long sum = 0;
        foreach (byte[] key in _asked)
        {
            sum += _frozen.TryGetValue(key, out int value) ? value : 0;
        }

        return sum;
    }

    /// <summary>Each lookup creates a string.</summary>
    [Benchmark(OperationsPerInvoke = Lookups)]
    public long Strings()
    {
        long sum = 0;
        foreach (byte[] key in _asked)
        {
            sum += _strings.TryGetValue(Encoding.ASCII.GetString(key), out int value) ? value : 0;
        }

        return sum;
    }

    /// <summary>Each lookup widens the bytes on the stack.</summary>
    [Benchmark(OperationsPerInvoke = Lookups)]
    public long Characters()
    {
        Span<char> text = stackalloc char[Keys.Large];
        long sum = 0;
        foreach (byte[] key in _asked)
        {
            int length = Encoding.ASCII.GetChars(key, text);
            sum += _characters.TryGetValue(text[..length], out int value) ? value : 0;
        }

        return sum;
    }

    [Benchmark(OperationsPerInvoke = Lookups)]
    public long OpenAddressing()
    {
        long sum = 0;
        foreach (byte[] key in _asked)
        {
            sum += _open.TryGetValue(key, out int value) ? value : 0;
        }

        return sum;
    }
}
