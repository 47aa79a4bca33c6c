using Broker.Cli.Shell;
using Broker.Cli.Terminal;

namespace Broker.Cli.Streams;

/// <summary>
/// A table of text. Columns are as wide as their longest cell, so that scripts and people can read all of it.
/// </summary>
/// <param name="texts">The number of columns, from the left, that are texts. The others are numbers, which end at the
/// right.</param>
/// <param name="heads">The heads of the columns.</param>
internal sealed class TextTable(int texts, params string[] heads)
{
    private const string Gap = "  ";

    private readonly List<string[]> _rows = [];

    public void Add(params string[] cells) => _rows.Add([.. cells.Select(SafeText.OneLine)]);

    public void WriteTo(ShellStreams shell)
    {
        int[] widths = [.. heads.Select((head, at) => _rows.Select(row => row[at].Length).Append(head.Length).Max())];
        var lines = new LineOutput(shell);
        foreach (string[] row in _rows.Prepend(heads))
        {
            lines.Write(string.Join(Gap, row.Select((cell, at) => at < texts ? cell.PadRight(widths[at]) : cell.PadLeft(widths[at]))).TrimEnd());
            lines.EndLine();
        }

        lines.Flush();
    }
}
