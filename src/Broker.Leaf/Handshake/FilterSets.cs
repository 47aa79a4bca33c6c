using Broker.Protocol;

namespace Broker.Leaf;

/// <summary>Compares the sets of subjects that two filters match. The filters must be valid.</summary>
internal static class FilterSets
{
    /// <summary>Whether a filter matches every subject that another filter matches.</summary>
    internal static bool Covers(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> other)
    {
        while (true)
        {
            ReadOnlySpan<byte> token = Take(ref filter);
            if (token is [Subject.AnyTail])
            {
                return !other.IsEmpty;
            }

            ReadOnlySpan<byte> compared = Take(ref other);
            if (compared.IsEmpty || token.IsEmpty)
            {
                return compared.IsEmpty && token.IsEmpty;
            }

            if (compared is [Subject.AnyTail] || (token is not [Subject.AnyToken] && !token.SequenceEqual(compared)))
            {
                return false;
            }
        }
    }

    /// <summary>Whether there is a subject that both filters match.</summary>
    internal static bool Overlap(ReadOnlySpan<byte> one, ReadOnlySpan<byte> other)
    {
        while (true)
        {
            ReadOnlySpan<byte> first = Take(ref one);
            ReadOnlySpan<byte> second = Take(ref other);
            if (first.IsEmpty || second.IsEmpty)
            {
                return first.IsEmpty && second.IsEmpty;
            }

            if (first is [Subject.AnyTail] || second is [Subject.AnyTail])
            {
                return true;
            }

            if (first is not [Subject.AnyToken] && second is not [Subject.AnyToken] && !first.SequenceEqual(second))
            {
                return false;
            }
        }
    }

    // Takes the first token. Returns an empty span at the end.
    private static ReadOnlySpan<byte> Take(scoped ref ReadOnlySpan<byte> rest)
    {
        int end = rest.IndexOf(Subject.Separator);
        ReadOnlySpan<byte> token = end < 0 ? rest : rest[..end];
        rest = end < 0 ? default : rest[(end + 1)..];
        return token;
    }
}
