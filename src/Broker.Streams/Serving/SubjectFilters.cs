using System.Text;
using Broker.Protocol;

namespace Broker.Streams;

/// <summary>Compares filters with each other.</summary>
internal static class SubjectFilters
{
    /// <summary>Whether a subject can match both filters.</summary>
    internal static bool Overlap(ReadOnlySpan<char> first, ReadOnlySpan<char> second)
    {
        while (true)
        {
            ReadOnlySpan<char> one = TokenOf(first);
            ReadOnlySpan<char> other = TokenOf(second);
            if (one is ">" || other is ">")
            {
                return true;
            }

            if (one is not "*" && other is not "*" && !one.SequenceEqual(other))
            {
                return false;
            }

            if (one.Length == first.Length || other.Length == second.Length)
            {
                return one.Length == first.Length && other.Length == second.Length;
            }

            first = first[(one.Length + 1)..];
            second = second[(other.Length + 1)..];
        }
    }

    /// <summary>Whether every subject that matches the filter also matches the other one.</summary>
    internal static bool IsSubset(string filter, string of)
        => (!IsTail(filter) || IsTail(of)) && Subject.Matches(Encoding.UTF8.GetBytes(of), Encoding.UTF8.GetBytes(filter));

    private static ReadOnlySpan<char> TokenOf(ReadOnlySpan<char> filter) => filter.IndexOf('.') is var end and >= 0 ? filter[..end] : filter;

    private static bool IsTail(string filter) => filter is ">" || filter.EndsWith(".>", StringComparison.Ordinal);
}
