using System.Globalization;
using System.Text;

namespace Broker.Testing;

/// <summary>Formats the texts of failed expectations.</summary>
internal static class Expectations
{
    private const int MostLines = 20;

    internal static string Count(int count, string noun)
        => string.Create(CultureInfo.InvariantCulture, $"{count} {noun}{(count == 1 ? "" : "s")}");

    internal static string Text(string expected, IReadOnlyList<string> lines)
    {
        if (lines.Count == 0)
        {
            return expected + " none";
        }

        var text = new StringBuilder(expected);
        for (int i = 0; i < Math.Min(lines.Count, MostLines); i++)
        {
            text.Append('\n').Append(CultureInfo.InvariantCulture, $"  {i + 1}. {lines[i]}");
        }

        return lines.Count <= MostLines
            ? text.ToString()
            : text.Append(CultureInfo.InvariantCulture, $"\n  and {lines.Count - MostLines} more").ToString();
    }
}
