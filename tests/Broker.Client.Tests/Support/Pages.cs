using System.Text.RegularExpressions;

namespace Broker.Client.Tests.Support;

/// <summary>Reads the documents of the repository: their tables and the code in the tables.</summary>
internal static partial class Pages
{
    internal static string Read(params string[] path) => File.ReadAllText(Path.Combine([Repository.Root, .. path])).ReplaceLineEndings("\n");

    /// <summary>Returns the text between a heading and the next heading.</summary>
    internal static string Section(string page, string heading)
    {
        string text = Read("docs", page);
        int begin = text.IndexOf($"\n## {heading}\n", StringComparison.Ordinal);
        Assert.True(begin >= 0, $"{page} has no heading '{heading}'.");
        int end = text.IndexOf("\n## ", begin + 1, StringComparison.Ordinal);
        return end < 0 ? text[begin..] : text[begin..end];
    }

    /// <summary>Returns the rows of the tables below a heading, without the header rows.</summary>
    internal static string[][] Rows(string page, string heading)
        => [.. Section(page, heading).Split('\n')
            .Where(static line => line.StartsWith("| `", StringComparison.Ordinal) || line.StartsWith("| ", StringComparison.Ordinal))
            .Select(static line => line.Trim('|', ' ').Split(" | ").Select(static cell => cell.Trim()).ToArray())
            .Skip(1)];

    /// <summary>Returns the parts of a text that are in backquotes.</summary>
    internal static IEnumerable<string> Code(string text) => Quoted().Matches(text).Select(static match => match.Groups[1].Value);

    [GeneratedRegex("`([^`]+)`", RegexOptions.CultureInvariant, 10_000)]
    private static partial Regex Quoted();
}
