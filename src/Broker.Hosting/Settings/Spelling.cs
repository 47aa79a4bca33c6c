namespace Broker.Hosting;

/// <summary>Finds the known word that is most similar to a misspelled word.</summary>
internal static class Spelling
{
    /// <summary>
    /// Returns the candidate that is most similar to <paramref name="word"/>, or null if no candidate is similar
    /// enough.
    /// </summary>
    public static string? Nearest(string word, IEnumerable<string> candidates)
    {
        int allowed = Math.Max(1, (word.Length + 1) / 3);
        return candidates
            .Select(candidate => (candidate, distance: Distance(word, candidate)))
            .Where(pair => pair.distance <= allowed)
            .OrderBy(pair => pair.distance)
            .Select(pair => pair.candidate)
            .FirstOrDefault();
    }

    /// <summary>Returns the Levenshtein distance, case-insensitive.</summary>
    private static int Distance(string a, string b)
    {
        int[] row = Enumerable.Range(0, b.Length + 1).ToArray();
        for (int i = 1; i <= a.Length; i++)
        {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.Length; j++)
            {
                int substitution = diagonal + (char.ToUpperInvariant(a[i - 1]) == char.ToUpperInvariant(b[j - 1]) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.Min(substitution, Math.Min(row[j], row[j - 1]) + 1);
            }
        }

        return row[b.Length];
    }
}
