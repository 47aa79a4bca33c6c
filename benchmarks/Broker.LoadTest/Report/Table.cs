using System.Text;

namespace Broker.LoadTest.Report;

/// <summary>Rows of text; the first column is aligned left, the others right.</summary>
internal sealed class Table(params string[] header)
{
    private readonly List<string[]> _rows = [header];

    public void Add(IEnumerable<string> cells) => _rows.Add([.. cells]);

    public string ToText()
    {
        int[] widths = Widths();
        var text = new StringBuilder();
        foreach (string[] row in _rows)
        {
            text.AppendJoin("  ", row.Select((cell, column) => Pad(cell, column, widths)));
            text.AppendLine();
            if (row == _rows[0])
            {
                text.AppendLine(new string('-', widths.Sum() + (2 * (widths.Length - 1))));
            }
        }

        return text.ToString();
    }

    public string ToMarkdown()
    {
        int[] widths = Widths();
        var text = new StringBuilder();
        foreach (string[] row in _rows)
        {
            text.Append("| ").AppendJoin(" | ", row.Select((cell, column) => Pad(cell, column, widths))).AppendLine(" |");
            if (row == _rows[0])
            {
                text.Append('|').AppendJoin('|', widths.Select((width, column) => column == 0 ? new string('-', width + 2) : new string('-', width + 1) + ':')).AppendLine("|");
            }
        }

        return text.ToString();
    }

    private int[] Widths() => [.. Enumerable.Range(0, _rows[0].Length).Select(column => _rows.Max(row => row[column].Length))];

    private static string Pad(string cell, int column, int[] widths) => column == 0 ? cell.PadRight(widths[column]) : cell.PadLeft(widths[column]);
}
