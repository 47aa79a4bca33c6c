using System.Text.RegularExpressions;

namespace Broker.Cli.Tests.Prometheus;

/// <summary>The alert rules that ship, eng/prometheus/broker.rules.yml.</summary>
internal static partial class AlertRules
{
    internal static string Folder => Path.Combine(Repository.Root, "eng", "prometheus");

    internal static string Text => File.ReadAllText(Path.Combine(Folder, "broker.rules.yml"));

    internal static string[] Names => [.. Name().Matches(Text).Select(static match => match.Groups[1].Value)];

    internal static string[] Metrics => [.. Expression().Matches(Text).SelectMany(static match => Metric().Matches(match.Value)).Select(static match => match.Value).Distinct(StringComparer.Ordinal)];

    [GeneratedRegex(@"- alert: (\w+)", RegexOptions.None, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Name();

    [GeneratedRegex("expr: .*", RegexOptions.None, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Expression();

    [GeneratedRegex(@"\bbroker_\w+", RegexOptions.None, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Metric();
}
