using System.Text.RegularExpressions;

namespace Broker.ZeroMq.Tests.Documents;

/// <summary>
/// Compares the code on a documentation page with the code between markers in a test file. They must be the same.
/// </summary>
internal static partial class Page
{
    public static string[] CodeOf(string page) => [.. Fence().Matches(Read("docs", page)).Select(match => Trim(match.Groups["code"].Value))];

    public static string[] ShownIn(string file)
        => [.. Mark().Matches(Read("tests", "Broker.ZeroMq.Tests", "Documents", file)).Select(match => Trim(match.Groups["code"].Value))];

    /// <summary>The rows of the table below a heading, without the table's header.</summary>
    public static string[][] RowsOf(string page, string heading)
    {
        string text = Read("docs", page);
        int begin = text.IndexOf($"\n## {heading}\n", StringComparison.Ordinal);
        Assert.True(begin >= 0, $"{page} has no heading '{heading}'.");
        int end = text.IndexOf("\n## ", begin + 1, StringComparison.Ordinal);
        return [.. text[begin..(end < 0 ? text.Length : end)].Split('\n')
            .Where(line => line.StartsWith("| ", StringComparison.Ordinal))
            .Select(line => line.Trim('|', ' ').Split(" | ").Select(cell => cell.Trim()).ToArray())
            .Skip(1)];
    }

    /// <summary>The parts of a text in backquotes.</summary>
    public static IEnumerable<string> Quotes(string text) => Quoted().Matches(text).Select(match => match.Groups[1].Value);

    public static string SourceOf(string file) => Read("tests", "Broker.ZeroMq.Tests", "Documents", file);

    private static string Read(params string[] path) => File.ReadAllText(Path.Combine([Repository.Root, .. path])).ReplaceLineEndings("\n");

    // The indentation of the first line is that of the method.
    private static string Trim(string code)
    {
        string[] lines = code.TrimEnd().Split('\n');
        int indent = lines[0].Length - lines[0].TrimStart().Length;
        return string.Join('\n', lines.Select(line => line.Length >= indent ? line[indent..] : line));
    }

    [GeneratedRegex(@"^```csharp\n(?<code>.*?)^```$", RegexOptions.Multiline | RegexOptions.Singleline | RegexOptions.CultureInvariant, 10_000)]
    private static partial Regex Fence();

    [GeneratedRegex("`([^`]+)`", RegexOptions.CultureInvariant, 10_000)]
    private static partial Regex Quoted();

    [GeneratedRegex(@"^ *// shown:\n(?<code>.*?)^ *// end$", RegexOptions.Multiline | RegexOptions.Singleline | RegexOptions.CultureInvariant, 10_000)]
    private static partial Regex Mark();
}
