using System.CommandLine;
using System.Text.Json;
using Broker.Cli.Shell;

namespace Broker.Cli.Streams;

/// <summary>
/// Prints items in the order of their names: as a table, as names alone (<c>--names</c>), or as JSON, each on a line
/// (<c>--json</c>).
/// </summary>
/// <param name="name">Returns the name of an item.</param>
/// <param name="members">Writes the members of an item's JSON object.</param>
/// <param name="createTable">Creates the table without rows.</param>
/// <param name="row">Returns the cells of an item.</param>
internal sealed class Listing<T>(Func<T, string> name, Action<Utf8JsonWriter, T> members, Func<TextTable> createTable, Func<T, string[]> row)
{
    public void Print(ShellStreams shell, ParseResult flags, List<T> items, Option<bool> names, Option<bool> json)
    {
        items.Sort((a, b) => string.CompareOrdinal(name(a), name(b)));
        var lines = new LineOutput(shell);
        if (flags.GetValue(json))
        {
            items.ForEach(item => ApiJson.Write(lines, writer => members(writer, item)));
        }
        else if (flags.GetValue(names))
        {
            items.ForEach(item =>
            {
                lines.Write(ValueText.Of(name(item)));
                lines.EndLine();
            });
        }
        else if (items.Count > 0)
        {
            TextTable table = createTable();
            items.ForEach(item => table.Add(row(item)));
            table.WriteTo(shell);
        }

        lines.Flush();
    }
}
