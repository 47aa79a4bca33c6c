using System.Xml.Linq;
using Broker.LoadTest.Report;
using Broker.LoadTest.Report.Picture;
using Broker.LoadTest.Rows;
using Broker.LoadTest.Runs;
using Broker.LoadTest.Servers;

namespace Broker.Benchmarks.Tests.LoadTest;

public class ReportTests
{
    [Fact]
    public void The_main_table_has_the_ratios_of_medians_and_of_rounds_with_their_range()
    {
        Results results = SampleRuns.Warm("pub0");
        results.Add("pub0", "nats-server", 1, 1, 2);
        results.Add("pub0", "broker", 0.5, 0.25, 0.25);

        string[] cells = Cells(ThroughputTable.Build(results)!, "pub0");

        Assert.Equal(["4.00×", "4.00× (2.00–8.00)", "0.25×", "0.25× (0.13–0.50)"], cells[^4..]);
    }

    [Fact]
    public void A_row_reaches_its_goal_when_each_part_of_it_is_reached()
    {
        Results results = SampleRuns.Warm("real-fanout800-16", "real-pub16-100", "real-flood16");
        foreach (string row in results.Rows.Select(row => row.Name))
        {
            results.Add(row, "nats-server", 1, 1, 1);
            results.Add(row, "broker", 0.2, 0.2, 0.2);
        }

        Table table = Assert.Single(GoalTable.BuildAll(results));

        // The rate is five times as high with a fifth of the CPU and the same memory. The round trip beside the flood
        // was not measured.
        Assert.Equal("rate ≥ 2.5×, CPU ≤ 0.35×, memory ≤ 1×", Cells(table, "real-fanout800-16")[2]);
        Assert.Equal("reached", Cells(table, "real-fanout800-16")[^1]);
        Assert.Equal("reached", Cells(table, "real-pub16-100")[^1]);
        Assert.Equal("**missed** (p99)", Cells(table, "real-flood16")[^1]);

        results.Samples.RemoveAll(sample => sample.Server == "broker");
        results.Add("real-pub16-100", "broker", 0.21, 0.23, 0.24);

        Assert.Equal("**missed** (rate, CPU)", Cells(Assert.Single(GoalTable.BuildAll(results)), "real-pub16-100")[^1]);
        Assert.Empty(GoalTable.BuildAll(SampleRuns.Warm("pub0")));
    }

    [Fact]
    public void A_percentile_combines_the_round_trips_of_all_rounds()
    {
        Results results = SampleRuns.Warm("request16");
        foreach ((int round, int microseconds) in new[] { (1, 10), (2, 20), (3, 90) })
        {
            results.Samples.Add(new Sample("request16", "broker", round, SampleRuns.Measured(1) with
            {
                Latency = Latency.FromTicks([.. Enumerable.Repeat(microseconds * (System.Diagnostics.Stopwatch.Frequency / 1_000_000), round == 3 ? 10 : 100)]),
            }));
        }

        string[] cells = Cells(LatencyTable.Build(results)!, "request16 p99");

        Assert.Equal([Format.Nothing, Format.Nothing, Format.Nothing, "90.0", "10.0–90.0", "210"], cells[1..7]);
    }

    [Fact]
    public void A_dimension_grows_from_its_first_point()
    {
        Results results = SampleRuns.Warm("literal-*");
        results.Add("literal-1", "nats-server", 0.2, 0.2, 0.2);
        results.Add("literal-1", "broker", 0.05, 0.05, 0.05);
        results.Add("literal-1M", "nats-server", 0.8, 0.8, 0.8);
        results.Add("literal-1M", "broker", 0.1, 0.1, 0.1);

        Table table = Assert.Single(GrowthTable.BuildAll(results));

        Assert.Equal(["1,000,000", "800", "800–800", "4.00×", "100", "100–100", "2.00×", "0.13×", "0.13× (0.13–0.13)"], Cells(table, "1,000,000"));
        Assert.All(Cells(table, "100")[1..], cell => Assert.Equal(Format.Nothing, cell));
    }

    [Fact]
    public void Growing_rows_are_not_in_the_main_table()
        => Assert.Null(ThroughputTable.Build(SampleRuns.Warm("scaling", "memory", "start", "fairness", "wakeup")));

    [Fact]
    public void A_start_is_shown_in_milliseconds_with_the_memory_after_it()
    {
        Results results = SampleRuns.Warm("starting");
        foreach ((string server, int round) in new[] { ("nats-server", 1), ("broker", 1), ("broker", 2), ("broker", 3) })
        {
            results.Samples.Add(new Sample("starting", server, round, SampleRuns.Measured(0.03) with
            {
                Start = new StartTimes(TimeSpan.FromMilliseconds(10 * round), TimeSpan.FromMilliseconds(2)),
            }));
        }

        Table table = StartTable.Build(results)!;

        Assert.Equal(["20.0", "10.0–30.0", "2.00", "2.00–2.00", "30.0", "30.0–30.0", "50.0", "50.0–50.0"], Cells(table, "broker")[1..]);
        Assert.Equal("10.0", Cells(table, "nats-server")[1]);
        Assert.Null(StartTable.Build(SampleRuns.Warm("pub0")));
    }

    [Fact]
    public void Memory_is_shown_for_each_connection_or_subscription()
    {
        Results results = SampleRuns.Warm("connections10k");
        foreach ((string server, long after) in new[] { ("nats-server", 310_000_000L), ("broker", 110_000_000L) })
        {
            results.Samples.Add(new Sample("connections10k", server, 1, SampleRuns.Measured(1) with
            {
                Footprint = new Footprint(10_000, 10_000_000, after),
                Idle = new IdleCost(0.003, 3),
            }));
        }

        Table table = FootprintTable.Build(results)!;

        Assert.Contains("30,000", table.ToText(), StringComparison.Ordinal);
        Assert.Contains("0.33× (0.33–0.33)", table.ToText(), StringComparison.Ordinal);
        Assert.Contains("0.10", table.ToText(), StringComparison.Ordinal);
    }

    [Fact]
    public void Cold_figures_have_their_own_table_after_the_warm_ones()
    {
        Results warm = SampleRuns.Warm("pub0");
        warm.Add("pub0", "broker", 1);
        Results cold = SampleRuns.Of(warm.Settings with { Cold = true }, "pub0");
        cold.Add("pub0", "broker", 3);

        string markdown = Summary.ToMarkdown([warm, cold]);

        Assert.True(markdown.IndexOf("## Warm", StringComparison.Ordinal) < markdown.IndexOf("## Cold", StringComparison.Ordinal));
        Assert.Contains("3,000", markdown[markdown.IndexOf("## Cold", StringComparison.Ordinal)..], StringComparison.Ordinal);
    }

    [Fact]
    public void No_folder_of_the_machine_is_in_the_report()
        => Assert.DoesNotContain("/usr/sbin", Summary.ToMarkdown([SampleRuns.Warm("pub0")]), StringComparison.Ordinal);

    [Fact]
    public void Every_line_of_the_csv_has_a_cell_for_each_column()
    {
        Results results = SampleRuns.Warm("pub0", "literal-1M");
        results.Add("pub0", "broker", 1, 2);
        results.Add("literal-1M", "broker", 1, 2);

        string[] lines = Csv.Build([results]).Split("\r\n", StringSplitOptions.RemoveEmptyEntries);

        Assert.Equal(5, lines.Length);
        int columns = lines[0].Split(',').Length;
        Assert.All(lines[1..3], line => Assert.Equal(columns, line.Split(',').Length));
        Assert.Contains("warm,\"subscriptions, literal\",\"1,000,000\"", lines[3], StringComparison.Ordinal);
    }

    [Fact]
    public void The_picture_is_well_formed_and_has_a_bar_with_its_range_for_each_ratio()
    {
        Results results = SampleRuns.Warm("pub0", "full-1");
        foreach (string row in new[] { "pub0", "full-1" })
        {
            results.Add(row, "nats-server", 1, 1, 1);
            results.Add(row, "broker", 0.5, 0.25, 0.5);
        }

        IReadOnlyList<Panel> panels = RatioPanels.Of([results]);
        var svg = XElement.Parse(BarChart.Draw("<one & another>", panels));

        Assert.Equal(3, panels.Count);
        Assert.Equal("svg", svg.Name.LocalName);
        Assert.Contains(svg.Elements(), element => element.Value == "<one & another>");
        Assert.Equal(3, svg.Elements().Count(element => element.Value is "0.50×" or "2.00×"));
        Assert.All(svg.Elements().Where(element => element.Name.LocalName == "rect"), bar => Assert.True((double)bar.Attribute("width")! > 0));
        Assert.All(svg.Elements().Where(element => element.Name.LocalName == "line"), line => Assert.InRange((double)line.Attribute("x2")!, 0, 900));
    }

    [Fact]
    public void A_chart_without_data_is_still_valid()
        => Assert.Equal("svg", XElement.Parse(BarChart.Draw("nothing", RatioPanels.Of([SampleRuns.Warm("pub0")]))).Name.LocalName);

    [Fact]
    public void The_curves_have_a_dot_for_each_server_at_each_place_and_grow_with_the_figure()
    {
        Results results = SampleRuns.Warm("subscribers-16-1", "subscribers-16-10", "subscribers-16-100");
        double nanoseconds = 100;
        foreach (string row in new[] { "subscribers-16-1", "subscribers-16-10", "subscribers-16-100" })
        {
            results.Add(row, "nats-server", nanoseconds, nanoseconds);
            results.Add(row, "broker", nanoseconds / 2, nanoseconds / 2);
            nanoseconds *= 2;
        }

        CurvePanel panel = Assert.Single(CurvePanels.Of([results]));
        var svg = XElement.Parse(CurveChart.Draw("<one & another>", [panel]));

        Assert.Equal(["nats-server", "broker"], panel.Curves.Select(curve => curve.Series).Order(StringComparer.Ordinal).Reverse());
        Assert.All(panel.Curves, curve => Assert.Equal([1, 10, 100], curve.Points.Select(point => point.X)));
        Assert.All(panel.Curves, curve => Assert.Equal(curve.Points[0].Y * 4, curve.Points[2].Y, 6));
        Assert.Equal(6, svg.Elements().Count(element => element.Name.LocalName == "rect" && (double)element.Attribute("width")! == 6));
        double[] heights = [.. svg.Elements().Where(element => element.Name.LocalName == "rect" && (double)element.Attribute("width")! == 6).Take(3).Select(dot => (double)dot.Attribute("y")!)];
        Assert.True(heights[0] > heights[1] && heights[1] > heights[2], string.Join(" ", heights));
    }

    [Fact]
    public void Curves_without_data_are_still_valid()
        => Assert.Equal("svg", XElement.Parse(CurveChart.Draw("nothing", CurvePanels.Of([SampleRuns.Warm("pub0")]))).Name.LocalName);

    private static string[] Cells(Table table, string first)
    {
        IEnumerable<string[]> lines = table.ToMarkdown().Split('\n').Select(line => line.Split('|', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries));
        return lines.Single(cells => cells.Length > 0 && cells[0] == first);
    }
}
