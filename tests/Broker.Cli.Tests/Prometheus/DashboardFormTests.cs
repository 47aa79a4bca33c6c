using System.Text.Json;

namespace Broker.Cli.Tests.Prometheus;

/// <summary>The form of the dashboard, as far as it can be checked without Grafana.</summary>
public sealed class DashboardFormTests
{
    private static IReadOnlyList<JsonElement> Panels => [.. Dashboard.Content.GetProperty("panels").EnumerateArray()];

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
}
