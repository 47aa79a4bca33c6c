using System.Text.RegularExpressions;

namespace Broker.Cli.Tests.Documentation;

/// <summary>Finds the tables and examples of a documentation page by their headings.</summary>
internal sealed partial class DocumentedText
{
    private readonly List<(string Heading, string Line)> _lines = [];

    private DocumentedText(string text)
    {
        Text = text;
        string heading = "";
        foreach (string line in text.Split('\n').Select(l => l.TrimEnd('\r')))
        {
            if (line.StartsWith('#') && !line.StartsWith("#!", StringComparison.Ordinal) && line.TrimStart('#').StartsWith(' '))
            {
                heading = line.TrimStart('#', ' ');
            }

            _lines.Add((heading, line));
        }
    }

    public string Text { get; }

    /// <summary>Reads a page. The path is relative to the root of the repository.</summary>
    public static DocumentedText Read(string path) => new(File.ReadAllText(Path.Combine(Repository.Root, path)));

    /// <summary>Returns the code spans in the first column of the tables below the heading.</summary>
    public IEnumerable<string> FirstColumn(string heading)
        => _lines.Where(l => l.Heading == heading && l.Line.StartsWith("| `", StringComparison.Ordinal))
            .SelectMany(l => Codes().Matches(l.Line.Split('|')[1]).Select(m => m.Groups[1].Value));

    /// <summary>Returns the code spans in the first column, those of each row together.</summary>
    public IEnumerable<string[]> RowsOfTable(string heading)
        => _lines.Where(l => l.Heading == heading && l.Line.StartsWith("| `", StringComparison.Ordinal))
            .Select(l => Codes().Matches(l.Line.Split('|')[1]).Select(m => m.Groups[1].Value).ToArray());

    /// <summary>Returns the headings with a table whose first column has the given title.</summary>
    public IEnumerable<string> HeadingsOfTables(string firstTitle)
        => _lines.Where(l => l.Line.StartsWith($"| {firstTitle} |", StringComparison.Ordinal)).Select(l => l.Heading);

    /// <summary>Whether the page has the word as a code span.</summary>
    public bool Names(string code) => Codes().Matches(Text).Any(m => m.Groups[1].Value == code);

    /// <summary>Returns the indented code blocks below the heading, without the indentation.</summary>
    public IEnumerable<string> Blocks(string heading)
    {
        var block = new List<string>();
        foreach ((_, string line) in _lines.Where(l => l.Heading == heading).Append(("", "")))
        {
            if (line.StartsWith("    ", StringComparison.Ordinal))
            {
                block.Add(line[4..]);
            }
            else if (block.Count > 0)
            {
                yield return string.Join('\n', block);
                block.Clear();
            }
        }
    }

    public IEnumerable<string> Headings => _lines.Select(l => l.Heading).Distinct(StringComparer.Ordinal);

    /// <summary>Returns the lines, also in code blocks, that begin with the word.</summary>
    public IEnumerable<string> Commands(string word)
        => _lines.Select(l => l.Line.Trim()).Where(l => l.StartsWith(word + " ", StringComparison.Ordinal));

    [GeneratedRegex("`([^`]+)`", RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Codes();
}
