using System.Runtime.InteropServices;

namespace Broker.ZeroMq;

/// <summary>
/// The distinct prefixes of one peer. The set does not match topics: the trie of the socket does so for all peers. So a
/// prefix needs no other object than its octets, and the trie has the same array. The garbage collector's pauses grow
/// with the number of objects, and a peer can have very many prefixes.
/// </summary>
/// <remarks>The set is bounded in the number of prefixes and in their octets. It is for one thread at a time.</remarks>
internal sealed class DistinctPrefixes(int maxPrefixes, int maxBytes)
{
    private const int Small = 16;

    // Null if the set is empty: most peers have few prefixes, and peers that only shake hands have none.
    private HashSet<byte[]>? _all;

    /// <summary>The number of prefixes.</summary>
    public int Count => _all?.Count ?? 0;

    /// <summary>The octets of all prefixes together.</summary>
    public int Bytes { get; private set; }

    /// <summary>Adds a prefix.</summary>
    /// <param name="prefix">The prefix.</param>
    /// <param name="added">The set's copy of a new prefix, which must not be changed; otherwise an empty array.</param>
    /// <returns>
    /// <see cref="PrefixChange.First"/>, <see cref="PrefixChange.Counted"/> if the set has the prefix already, or
    /// <see cref="PrefixChange.LimitReached"/>. The set is unchanged in the last two cases.
    /// </returns>
    public PrefixChange Add(ReadOnlySpan<byte> prefix, out byte[] added)
    {
        added = [];
        if (_all is not null && Lookup(_all).Contains(prefix))
        {
            return PrefixChange.Counted;
        }

        if (Count >= maxPrefixes || prefix.Length > maxBytes - Bytes)
        {
            return PrefixChange.LimitReached;
        }

        added = prefix.ToArray();
        _all ??= new HashSet<byte[]>(Comparer.Instance);
        _all.Add(added);
        Bytes += added.Length;
        return PrefixChange.First;
    }

    /// <summary>Removes a prefix. Returns false if the set does not have it.</summary>
    public bool Remove(ReadOnlySpan<byte> prefix)
    {
        if (_all is null || !Lookup(_all).Remove(prefix))
        {
            return false;
        }

        Bytes -= prefix.Length;
        if (_all.Count == 0)
        {
            _all = null;
        }
        else if (_all.Capacity > Small && _all.Count <= _all.Capacity / 4)
        {
            // Without this, a peer could make the set use more memory than its prefixes need.
            _all.TrimExcess(_all.Count * 2);
        }

        return true;
    }

    /// <summary>
    /// Enumerates the prefixes, in no particular order. The caller may interrupt the enumeration and continue it later.
    /// It is valid until the set is changed.
    /// </summary>
    public Cursor Walk() => new(_all);

    private static HashSet<byte[]>.AlternateLookup<ReadOnlySpan<byte>> Lookup(HashSet<byte[]> all)
        => all.GetAlternateLookup<ReadOnlySpan<byte>>();

    /// <summary>The position of an enumeration of the set. See <see cref="Walk"/>.</summary>
    public struct Cursor
    {
        private readonly bool _exists;
        private HashSet<byte[]>.Enumerator _next;

        internal Cursor(HashSet<byte[]>? all)
        {
            _exists = all is not null;
            _next = all?.GetEnumerator() ?? default;
        }

        /// <summary>Moves to the next prefix. The span belongs to the set. Returns false at the end.</summary>
        public bool MoveNext(out ReadOnlySpan<byte> prefix)
        {
            if (_exists && _next.MoveNext())
            {
                prefix = _next.Current;
                return true;
            }

            prefix = default;
            return false;
        }
    }

    private sealed class Comparer : IEqualityComparer<byte[]>, IAlternateEqualityComparer<ReadOnlySpan<byte>, byte[]>
    {
        internal static readonly Comparer Instance = new();

        public bool Equals(byte[]? x, byte[]? y) => x.AsSpan().SequenceEqual(y);

        public int GetHashCode(byte[] obj) => GetHashCode(obj.AsSpan());

        public bool Equals(ReadOnlySpan<byte> alternate, byte[] other) => alternate.SequenceEqual(other);

        // The hash of strings is seeded in each process, so that a peer cannot prepare collisions. It takes pairs of
        // octets; a last single octet is added.
        public int GetHashCode(ReadOnlySpan<byte> alternate)
        {
            int hash = string.GetHashCode(MemoryMarshal.Cast<byte, char>(alternate), StringComparison.Ordinal);
            return (alternate.Length & 1) == 0 ? hash : (hash * 31) + 1 + alternate[^1];
        }

        public byte[] Create(ReadOnlySpan<byte> alternate) => alternate.ToArray();
    }
}
