using System.Runtime.CompilerServices;
using System.Text.Json;
using System.Text.RegularExpressions;
using Broker.Bridge;
using Broker.Cli.Serving;

namespace Broker.Cli.Tests.Starting;

/// <summary>The metrics of the bridge on <c>/metrics</c>, and the dashboard that asks for them.</summary>
public sealed partial class DashboardTests
{
    public static TheoryData<string> RouteTypes
        => [.. typeof(RouteSnapshot).Assembly.GetTypes().Where(static type => type.IsSubclassOf(typeof(RouteSnapshot))).Select(static type => type.FullName!)];

    [Theory]
    [MemberData(nameof(RouteTypes))]
    public void Each_counter_of_a_route_has_a_description(string type)
    {
        var route = (RouteSnapshot)RuntimeHelpers.GetUninitializedObject(typeof(RouteSnapshot).Assembly.GetType(type)!);
        string[] names = [.. BridgePage.Gauges(route).Concat(BridgePage.Counters(route)).Select(static value => value.Name)];
        Assert.True(names.Length >= 7);
        Assert.All(names, static name => Assert.Contains(name, BridgeMetricsText.Metrics.Keys));
    }

    /// <summary>
    /// Asserts that the page has each metric of the bridge that the dashboard asks for, with its labels, and describes
    /// every metric once.
    /// </summary>
    internal static void AssertAnswered(string metrics)
    {
        using var dashboard = JsonDocument.Parse(File.ReadAllText(Path.Combine(Repository.Root, "eng", "grafana", "broker.json")));
        (string Expression, string Legend)[] asked = [.. dashboard.RootElement.GetProperty("panels").EnumerateArray()
            .SelectMany(static panel => panel.GetProperty("targets").EnumerateArray())
            .Select(static target => (Expression: target.GetProperty("expr").GetString()!, Legend: target.GetProperty("legendFormat").GetString()!))
            .Where(static target => target.Expression.Contains("broker_bridge_", StringComparison.Ordinal))];
        Assert.True(asked.Length >= 4);
        foreach ((string expression, string legend) in asked)
        {
            string name = MetricName().Match(expression).Value;
            string line = metrics.Split('\n').First(l => l.StartsWith(name, StringComparison.Ordinal));
            Assert.All(Label().Matches(legend), label => Assert.Contains($"{label.Groups[1].Value}=\"", line, StringComparison.Ordinal));
        }

        string[] typed = [.. Typed().Matches(metrics).Select(static match => match.Groups[1].Value)];
        Assert.All(typed, name => Assert.Contains($"# HELP {name} ", metrics, StringComparison.Ordinal));
        Assert.Equal(typed.Length, typed.Distinct(StringComparer.Ordinal).Count());
    }

    [GeneratedRegex("broker_bridge_[a-z_]+", RegexOptions.None, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex MetricName();

    // Prometheus adds the label instance.
    [GeneratedRegex(@"\{\{(?!instance)(\w+)\}\}", RegexOptions.None, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Label();

    [GeneratedRegex("# TYPE (\\w+) ", RegexOptions.None, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Typed();
}
