using System.Globalization;
using System.Text.RegularExpressions;

namespace Broker.AspNetCore.Tests.Harness;

/// <summary>Reads Prometheus text as strictly as promtool checks it.</summary>
internal static partial class MetricsParser
{
    internal static Dictionary<string, double> Parse(string text)
    {
        Assert.EndsWith("\n", text, StringComparison.Ordinal);
        var values = new Dictionary<string, double>(StringComparer.Ordinal);
        string? helped = null;
        string? typed = null;
        string type = "";
        foreach (string line in text[..^1].Split('\n'))
        {
            if (Help().Match(line) is { Success: true } help)
            {
                helped = help.Groups[1].Value;
                Assert.DoesNotContain(helped, values.Keys);
            }
            else if (Type().Match(line) is { Success: true } declared)
            {
                typed = declared.Groups[1].Value;
                type = declared.Groups[2].Value;
                Assert.Equal(helped, typed);
            }
            else
            {
                Match sample = Sample().Match(line);
                Assert.True(sample.Success, $"not a line of the format: {line}");
                string name = sample.Groups[1].Value;
                Assert.Equal(typed, name);
                Assert.Equal(type == "counter", name.EndsWith("_total", StringComparison.Ordinal));
                values.Add(name, double.Parse(sample.Groups[3].Value, CultureInfo.InvariantCulture));
            }
        }

        return values;
    }

    [GeneratedRegex("^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) \\S.*$")]
    private static partial Regex Help();

    [GeneratedRegex("^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge)$")]
    private static partial Regex Type();

    [GeneratedRegex("""^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)*\})? (-?[0-9][0-9.eE+-]*)$""")]
    private static partial Regex Sample();
}
