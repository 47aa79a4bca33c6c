using System.Diagnostics.CodeAnalysis;

namespace Broker.Server;

/// <summary>
/// Compares byte strings by content and permits dictionary lookups with a span. Each instance has a seed: a peer that
/// does not know the seed cannot choose tokens with equal hashes.
/// </summary>
internal sealed class ByteKeyComparer(ulong seed) : IEqualityComparer<byte[]>, IAlternateEqualityComparer<ReadOnlySpan<byte>, byte[]>
{
    public byte[] Create(ReadOnlySpan<byte> alternate) => alternate.ToArray();

    public bool Equals(byte[]? x, byte[]? y) => x.AsSpan().SequenceEqual(y);

    public bool Equals(ReadOnlySpan<byte> alternate, byte[] other) => alternate.SequenceEqual(other);

    public int GetHashCode([DisallowNull] byte[] obj) => (int)ByteHash.Compute(obj, seed);

    public int GetHashCode(ReadOnlySpan<byte> alternate) => (int)ByteHash.Compute(alternate, seed);
}
