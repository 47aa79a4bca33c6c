using System.Text;
using Broker.Protocol;

namespace Broker.Streams;

/// <summary>Compares filters with each other.</summary>
internal static class SubjectFilters
{
    /// <summary>Whether a subject can match both filters.</summary>
    internal static bool Overlap(string first, string second)
    {
        string[] one = first.Split('.');
        string[] other = second.Split('.');
        for (int i = 0; i < one.Length && i < other.Length; i++)
        {
            if (one[i] is ">" || other[i] is ">")
            {
                return true;
            }

            if (one[i] is not "*" && other[i] is not "*" && !string.Equals(one[i], other[i], StringComparison.Ordinal))
            {
                return false;
            }
        }

        return one.Length == other.Length;
    }

    /// <summary>Whether every subject that matches the filter also matches the other one.</summary>
    internal static bool IsSubset(string filter, string of)
        => (!IsTail(filter) || IsTail(of)) && Subject.Matches(Encoding.UTF8.GetBytes(of), Encoding.UTF8.GetBytes(filter));

    private static bool IsTail(string filter) => filter is ">" || filter.EndsWith(".>", StringComparison.Ordinal);
}
