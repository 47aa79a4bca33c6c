using System.Text.Json;

namespace Broker.Cli.Tests.Prometheus;

/// <summary>The form of the dashboard: by Grafana's own types, and what they cannot say.</summary>
public sealed class DashboardFormTests
{
    private static IReadOnlyList<JsonElement> Panels => [.. Dashboard.Content.GetProperty("panels").EnumerateArray()];

    [Fact]
    public async Task Grafana_s_own_types_accept_the_dashboard()
    {
        (int exitCode, string said) = await CompileAsync(await ReadAsync());

        Assert.True(exitCode == 0, said);
    }

    [Theory]
    [InlineData("\"schemaVersion\": 39", "\"schemaVersion\": \"39\"")]
    [InlineData("\"gridPos\"", "\"gridPosition\"")]
    public async Task Grafana_s_own_types_refuse_a_wrong_type_and_an_unknown_key(string text, string fault)
    {
        string dashboard = await ReadAsync();
        Assert.Contains(text, dashboard, StringComparison.Ordinal);

        (int exitCode, string said) = await CompileAsync(dashboard.Replace(text, fault, StringComparison.Ordinal));

        Assert.NotEqual(0, exitCode);
        Assert.Contains("error TS2", said, StringComparison.Ordinal);
    }

    [Fact]
    public void Panels_have_their_own_ids_and_titles_and_do_not_overlap_on_the_grid()
    {
        Assert.Distinct(Panels.Select(static panel => panel.GetProperty("id").GetInt32()));
        Assert.Distinct(Panels.Select(static panel => panel.GetProperty("title").GetString()));
        var taken = new HashSet<(int, int)>();
        foreach (JsonElement place in Panels.Select(static panel => panel.GetProperty("gridPos")))
        {
            (int x, int y) = (place.GetProperty("x").GetInt32(), place.GetProperty("y").GetInt32());
            (int width, int height) = (place.GetProperty("w").GetInt32(), place.GetProperty("h").GetInt32());
            // Grafana's grid has 24 columns.
            Assert.InRange(x + width, 1, 24);
            Assert.All(Enumerable.Range(x, width).SelectMany(column => Enumerable.Range(y, height).Select(row => (column, row))), cell => Assert.True(taken.Add(cell)));
        }
    }

    [Fact]
    public void Each_query_has_its_own_letter_and_every_panel_asks_the_source_of_the_variable()
    {
        Assert.All(Panels, static panel =>
        {
            Assert.Contains(panel.GetProperty("type").GetString(), (string[])["timeseries", "stat"]);
            Assert.Equal(("prometheus", "${source}"), (panel.GetProperty("datasource").GetProperty("type").GetString(), panel.GetProperty("datasource").GetProperty("uid").GetString()));
            Assert.Distinct(panel.GetProperty("targets").EnumerateArray().Select(static target => target.GetProperty("refId").GetString()));
        });
    }

    [Fact]
    public void Each_query_is_limited_to_the_chosen_instances_and_each_legend_names_its_instance()
        => Assert.All(Dashboard.Panels.SelectMany(static panel => panel.Queries), static query =>
        {
            Assert.Contains("{instance=~\"$instance\"}", query.Expression, StringComparison.Ordinal);
            Assert.StartsWith("{{instance}}", query.Legend, StringComparison.Ordinal);
        });

    private static Task<string> ReadAsync()
        => File.ReadAllTextAsync(Path.Combine(Repository.Root, "eng", "grafana", "broker.json"), TestContext.Current.CancellationToken);

    // The compiler compares the file with the types. In a literal it also refuses a key that the type does not have.
    private static async Task<(int ExitCode, string Said)> CompileAsync(string dashboard)
    {
        string node = Programs.Require("node");
        string packages = Path.Combine(Repository.Root, "tests", "Broker.Cli.Tests", "peers", "node", "node_modules");
        Missing.Unless(Directory.Exists(Path.Combine(packages, "@grafana", "schema")), "the npm package @grafana/schema");
        using var folder = new TemporaryFolder();
        string types = Path.Combine(packages, "@grafana", "schema", "dist", "types", "index").Replace('\\', '/');
        string file = folder.Write("dashboard.ts", $"import type {{ Dashboard }} from '{types}';\nexport const dashboard = {dashboard.Trim()} satisfies Dashboard;\n");
        return await Programs.RunAsync(
            node, null, Path.Combine(packages, "typescript", "bin", "tsc"), "--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "esnext",
            "--moduleResolution", "bundler", file);
    }
}
