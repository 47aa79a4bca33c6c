namespace Broker.Benchmarks.Hashing;

/// <summary>FNV-1a with 32 bits: one multiplication for each byte.</summary>
internal static class Fnv1a
{
    internal static uint Compute(ReadOnlySpan<byte> bytes)
    {
        uint hash = 2166136261;
        foreach (byte value in bytes)
        {
            hash = (hash ^ value) * 16777619;
        }

        return hash;
    }
}
