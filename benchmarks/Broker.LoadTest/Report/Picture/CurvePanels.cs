using Broker.LoadTest.Rows;
using Broker.LoadTest.Runs;

namespace Broker.LoadTest.Report.Picture;

/// <summary>The panels of the numeric dimensions of a run: the median figure of each server at each point.</summary>
internal static class CurvePanels
{
    public static IReadOnlyList<CurvePanel> Of(IReadOnlyList<Results> parts) => [.. parts.SelectMany(Of).Where(static panel => panel.Curves.Count > 0)];

    private static IEnumerable<CurvePanel> Of(Results results)
        => results.Rows.Where(static row => row.Point is { Value: > 0 })
            .GroupBy(static row => row.Point!.Dimension, StringComparer.Ordinal)
            .Select(dimension => Build(results, dimension.Key, [.. dimension]));

    private static CurvePanel Build(Results results, string dimension, IReadOnlyList<Row> rows)
    {
        GrowthFigure figure = rows[0].Point!.Figure;
        var curves = new List<Curve>();
        foreach (string name in results.Names)
        {
            (double, double)[] points =
            [
                .. from row in rows
                   let median = Comparison.Median(results.Of(row)[name], figure.Of)
                   where median > 0
                   select (row.Point!.Value!.Value, median.Value),
            ];
            if (points.Length > 0)
            {
                curves.Add(new Curve(name, points));
            }
        }

        return new CurvePanel(dimension, figure.Unit, curves);
    }
}
