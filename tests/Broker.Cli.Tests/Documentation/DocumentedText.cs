using System.Text.RegularExpressions;

namespace Broker.Cli.Tests.Documentation;

/// <summary>A page of the documentation, by its headings: the tables, and what is set as an example.</summary>
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

    /// <summary>Reads a page by its path from the top of the repository.</summary>
    public static DocumentedText Read(string path) => new(File.ReadAllText(Path.Combine(Repository.Root, path)));

    /// <summary>What stands in code in the first column of the tables below the heading.</summary>
    public IEnumerable<string> FirstColumn(string heading) =>
        _lines.Where(l => l.Heading == heading && l.Line.StartsWith("| `", StringComparison.Ordinal))
            .SelectMany(l => Codes().Matches(l.Line.Split('|')[1]).Select(m => m.Groups[1].Value));

    /// <summary>The headings below which a table of keys stands.</summary>
    public IEnumerable<string> HeadingsOfTables(string firstTitle) =>
        _lines.Where(l => l.Line.StartsWith($"| {firstTitle} |", StringComparison.Ordinal)).Select(l => l.Heading);

    /// <summary>Whether the text has the word in code.</summary>
    public bool Names(string code) => Codes().Matches(Text).Any(m => m.Groups[1].Value == code);

    /// <summary>The indented blocks below the heading, without the indent.</summary>
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

    /// <summary>The lines of commands, in fences or indented, that begin with the word.</summary>
    public IEnumerable<string> Commands(string word) =>
        _lines.Select(l => l.Line.Trim()).Where(l => l.StartsWith(word + " ", StringComparison.Ordinal));

    [GeneratedRegex("`([^`]+)`", RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Codes();
}
