using System.Text;
using BenchmarkDotNet.Attributes;
using Broker.Benchmarks.Running;
using Broker.Server;

namespace Broker.Benchmarks.Hashing;

/// <summary>
/// Compares hash functions for short byte strings. XxHash3 is missing, because it is in a package and not in the
/// framework.
/// </summary>
public class HashBenchmarks
{
    private const int KeyCount = 256;
    private const ulong Seed = 0x243F6A8885A308D3;
    private const uint ShortSeed = 0x85A308D3;

    private byte[][] _keys = [];

    private delegate uint Hash(ReadOnlySpan<byte> bytes);

    [Params(Keys.Small, Keys.Medium, Keys.Large)]
    public int Length { get; set; }

    [GlobalSetup]
    public void Setup()
    {
        _keys = Keys.Make(KeyCount, Length, "");

        // Hash functions have no common result. Those with published values must return these. All must depend on the
        // content only and must give different keys different values.
        Agreement.Require(0xBF9CF968, Fnv1a.Compute("foobar"u8), "FNV-1a of foobar");
        Agreement.Require(0x514E28B7u, Murmur3.Compute([], 1), "MurmurHash3 of nothing, seed 1");
        Agreement.Require(0x248BFA47u, Murmur3.Compute("hello"u8, 0), "MurmurHash3 of hello");
        Agreement.Require(0x149BBB7Fu, Murmur3.Compute("hello, world"u8, 0), "MurmurHash3 of hello, world");
        byte[][] many = Keys.Make(0x10000, Length, "");
        CheckSpread(bytes => ByteHash.Compute(bytes, Seed), many, "ours");
        CheckSpread(Fnv1a.Compute, many, "FNV-1a");
        CheckSpread(bytes => Murmur3.Compute(bytes, ShortSeed), many, "Murmur3");
        CheckSpread(Jesteress.Compute, many, "Jesteress");
        CheckSpread(OfHashCode, many, "HashCode");
    }

    /// <summary>ByteHash with a seed.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = KeyCount)]
    public uint Ours()
    {
        uint all = 0;
        foreach (byte[] key in _keys)
        {
            all ^= ByteHash.Compute(key, Seed);
        }

        return all;
    }

    [Benchmark(OperationsPerInvoke = KeyCount)]
    public uint Fnv1A()
    {
        uint all = 0;
        foreach (byte[] key in _keys)
        {
            all ^= Fnv1a.Compute(key);
        }

        return all;
    }

    [Benchmark(OperationsPerInvoke = KeyCount)]
    public uint MurmurHash3()
    {
        uint all = 0;
        foreach (byte[] key in _keys)
        {
            all ^= Murmur3.Compute(key, ShortSeed);
        }

        return all;
    }

    [Benchmark(OperationsPerInvoke = KeyCount)]
    public uint JesteressStyle()
    {
        uint all = 0;
        foreach (byte[] key in _keys)
        {
            all ^= Jesteress.Compute(key);
        }

        return all;
    }

    [Benchmark(OperationsPerInvoke = KeyCount)]
    public uint HashCodeAddBytes()
    {
        uint all = 0;
        foreach (byte[] key in _keys)
        {
            all ^= OfHashCode(key);
        }

        return all;
    }

    private static uint OfHashCode(ReadOnlySpan<byte> bytes)
    {
        var hash = default(HashCode);
        hash.AddBytes(bytes);
        return (uint)hash.ToHashCode();
    }

    // For 65,536 keys and 32 bits, half a collision is expected. The limit allows many more.
    private static void CheckSpread(Hash hash, byte[][] keys, string name)
    {
        var seen = new HashSet<uint>();
        foreach (byte[] key in keys)
        {
            uint value = hash(key);
            seen.Add(value);
            byte[] elsewhere = [0, .. key, 0];
            Agreement.Require(value, hash(elsewhere.AsSpan(1, key.Length)), $"{name} of {Encoding.ASCII.GetString(key)} at two places");
        }

        Agreement.Require(seen.Count > keys.Length - (keys.Length / 100));
    }
}
