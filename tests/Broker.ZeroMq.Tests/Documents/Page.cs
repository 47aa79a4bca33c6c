using System.Text.RegularExpressions;

namespace Broker.ZeroMq.Tests.Documents;

/// <summary>The code on a page, and the code between marks in a file of tests: they have to be the same.</summary>
internal static partial class Page
{
    public static string[] CodeOf(string page) => [.. Fence().Matches(Read("docs", page)).Select(match => Trim(match.Groups["code"].Value))];

    public static string[] ShownIn(string file) =>
        [.. Mark().Matches(Read("tests", "Broker.ZeroMq.Tests", "Documents", file)).Select(match => Trim(match.Groups["code"].Value))];

    private static string Read(params string[] path) => File.ReadAllText(Path.Combine([Repository.Root, .. path])).ReplaceLineEndings("\n");

    // The indent of the first line is that of the method.
    private static string Trim(string code)
    {
        string[] lines = code.TrimEnd().Split('\n');
        int indent = lines[0].Length - lines[0].TrimStart().Length;
        return string.Join('\n', lines.Select(line => line.Length >= indent ? line[indent..] : line));
    }

    [GeneratedRegex(@"^```csharp\n(?<code>.*?)^```$", RegexOptions.Multiline | RegexOptions.Singleline | RegexOptions.CultureInvariant, 10_000)]
    private static partial Regex Fence();

    [GeneratedRegex(@"^ *// shown:\n(?<code>.*?)^ *// end$", RegexOptions.Multiline | RegexOptions.Singleline | RegexOptions.CultureInvariant, 10_000)]
    private static partial Regex Mark();
}
