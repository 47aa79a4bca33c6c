using System.Text.RegularExpressions;

namespace Broker.Client.Tests.Support;

/// <summary>The documents of the repository: their tables, and the code in those.</summary>
internal static partial class Pages
{
    internal static string Read(params string[] path) => File.ReadAllText(Path.Combine([Repository.Root, .. path])).ReplaceLineEndings("\n");

    /// <summary>What stands below a heading, up to the next one.</summary>
    internal static string Section(string page, string heading)
    {
        string text = Read("docs", page);
        int begin = text.IndexOf($"\n## {heading}\n", StringComparison.Ordinal);
        Assert.True(begin >= 0, $"{page} has no heading '{heading}'.");
        int end = text.IndexOf("\n## ", begin + 1, StringComparison.Ordinal);
        return end < 0 ? text[begin..] : text[begin..end];
    }

    /// <summary>The rows of the tables below a heading, without their heads.</summary>
    internal static string[][] Rows(string page, string heading)
        => [.. Section(page, heading).Split('\n')
            .Where(static line => line.StartsWith("| `", StringComparison.Ordinal) || line.StartsWith("| ", StringComparison.Ordinal))
            .Select(static line => line.Trim('|', ' ').Split(" | ").Select(static cell => cell.Trim()).ToArray())
            .Skip(1)];

    /// <summary>What a text has in backquotes.</summary>
    internal static IEnumerable<string> Code(string text) => Quoted().Matches(text).Select(static match => match.Groups[1].Value);

    [GeneratedRegex("`([^`]+)`", RegexOptions.CultureInvariant, 10_000)]
    private static partial Regex Quoted();
}
