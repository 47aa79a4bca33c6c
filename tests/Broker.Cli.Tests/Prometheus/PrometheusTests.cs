using System.Text.RegularExpressions;

namespace Broker.Cli.Tests.Prometheus;

/// <summary>
/// A real Prometheus answers the dashboard eng/grafana/broker.json and evaluates the rules in eng/prometheus, from what
/// each of our exporters gives it.
/// </summary>
public sealed partial class PrometheusTests(ScrapedPrograms programs) : IClassFixture<ScrapedPrograms>
{
    // A page of a server knows no clients of other processes, and a program knows the start of its process otherwise.
    private static readonly (string Job, string Title)[] Unanswered =
    [
        (ScrapedPrograms.PageJob, "Clients of this program"),
        (ScrapedPrograms.OpenTelemetryJob, "Up"),
    ];

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    public static TheoryData<string, string> Panels =>
    [
        .. Dashboard.Panels.SelectMany(static panel => new[] { ScrapedPrograms.PageJob, ScrapedPrograms.OpenTelemetryJob }
            .Where(job => !Unanswered.Contains((job, panel.Title))).Select(job => (job, panel.Title))),
    ];

    [Theory]
    [MemberData(nameof(Panels))]
    public async Task Prometheus_answers_each_query_of_a_panel_with_the_labels_of_its_legend(string job, string title)
    {
        foreach ((string expression, string legend) in Dashboard.Panels.Single(panel => panel.Title == title).Queries)
        {
            IReadOnlyList<IReadOnlyDictionary<string, string>> answer = [];
            // A rate needs two scrapes.
            await Wait.UntilAsync(async () => (answer = await AnswerAsync(job, expression)).Count > 0, $"an answer of {job} to {expression}");
            Assert.All(answer, series => Assert.All(Label().Matches(legend), label => Assert.Contains(label.Groups[1].Value, series.Keys)));
            // Series with the same legend would be one line.
            Assert.Distinct(answer.Select(series => Label().Replace(legend, label => series[label.Groups[1].Value])));
        }
    }

    [Fact]
    public async Task Panels_that_an_exporter_does_not_answer_are_listed()
    {
        await Wait.UntilAsync(async () => (await AnswerAsync(ScrapedPrograms.OpenTelemetryJob, "messaging_client_sent_messages_total")).Count > 0
            && (await AnswerAsync(ScrapedPrograms.PageJob, "broker_up")).Count > 0);

        foreach ((string job, string title) in Unanswered)
        {
            foreach ((string expression, _) in Dashboard.Panels.Single(panel => panel.Title == title).Queries)
            {
                Assert.Empty(await AnswerAsync(job, expression));
            }
        }
    }

    [Fact]
    public async Task The_variable_of_the_dashboard_offers_the_programs_of_both_exporters()
    {
        Match query = LabelValues().Match(Dashboard.InstanceQuery);

        await Wait.UntilAsync(async () => (await programs.Prometheus.LabelValuesAsync(query.Groups[1].Value, query.Groups[2].Value))
            .Order().SequenceEqual(programs.Pages.Values.Select(static page => new Uri(page).Authority).Order()));
    }

    [Fact]
    public async Task Prometheus_evaluates_each_rule_without_an_error()
    {
        await Wait.UntilAsync(async () => (await programs.Prometheus.RulesAsync()).Values.All(static health => health != "unknown"));

        Assert.All(await programs.Prometheus.RulesAsync(), static rule => Assert.Equal("ok", rule.Value));
        Assert.Equal(AlertRules.Names, (await programs.Prometheus.RulesAsync()).Keys);
    }

    [Fact]
    public async Task Every_metric_of_the_rules_is_on_the_page_of_the_broker()
    {
        foreach (string metric in AlertRules.Metrics)
        {
            await Wait.UntilAsync(async () => (await programs.Prometheus.QueryAsync($"{metric}{{job=\"broker\"}}")).Count > 0, metric);
        }
    }

    [Theory]
    [InlineData(ScrapedPrograms.PageJob)]
    [InlineData(ScrapedPrograms.OpenTelemetryJob)]
    public async Task Promtool_has_no_objection_to_the_metrics(string job)
    {
        using var http = new HttpClient();
        string page = await http.GetStringAsync(programs.Pages[job], Ended);

        (_, string text) = await Programs.RunAsync(Programs.Require("promtool"), page, "check", "metrics");

        // Names of the meter System.Runtime are .NET's.
        Assert.DoesNotContain(text.Split('\n', StringSplitOptions.RemoveEmptyEntries), static line => !line.StartsWith("dotnet_", StringComparison.Ordinal));
    }

    // As Grafana does: all instances, and a rate over at least two scrapes.
    private Task<IReadOnlyList<IReadOnlyDictionary<string, string>>> AnswerAsync(string job, string expression) => programs.Prometheus.QueryAsync(
        $"({expression.Replace("$instance", ".*", StringComparison.Ordinal).Replace("$__rate_interval", "1m", StringComparison.Ordinal)}) and on (job) up{{job=\"{job}\"}}");

    [GeneratedRegex(@"\{\{(\w+)\}\}", RegexOptions.None, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Label();

    [GeneratedRegex(@"^label_values\((.*), (\w+)\)$", RegexOptions.None, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex LabelValues();
}
